package io.inbox4j.rabbitmq;

import static io.inbox4j.rabbitmq.Outgoing.ids;
import static io.inbox4j.rabbitmq.Outgoing.message;
import static io.inbox4j.rabbitmq.Outgoing.messages;
import static io.inbox4j.rabbitmq.Outgoing.sendUntilSettled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.inbox4j.rabbitmq.Outgoing.Settled;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.BrokerUnavailableException;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.OutgoingMessage.Queue;
import io.inbox4j.transport.OutgoingMessage.Topic;
import io.inbox4j.transport.SendResult;
import io.inbox4j.transport.SendResult.Confirmed;
import io.inbox4j.transport.SendResult.Rejected;
import io.inbox4j.transport.SendResult.Unknown;
import io.inbox4j.transport.SendResult.Unroutable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the broker makes of messages, on a broker that all tests share. */
@Tag("slow")
@Timeout(120)
class RabbitSenderTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final RabbitServer server = RabbitServer.shared();
  private final String name = "sender-" + UUID.randomUUID();
  private final Queue queue = new Queue(name);
  private final Topic topic = new Topic(name + ".events");
  private RabbitTransport transport;
  private MessageSender sender;
  private Connection connection;
  private Channel channel;

  @BeforeEach
  void open() throws Exception {
    connection = RabbitTransport.settings(server.uri()).newConnection();
    channel = connection.createChannel();
    channel.queueDeclare(name, true, false, false, Map.of("x-queue-type", "quorum"));
    transport = RabbitTransport.connect(server.uri());
    sender = transport.openSender();
  }

  @AfterEach
  void close() throws Exception {
    transport.close();
    channel.queueDelete(name);
    channel.exchangeDelete(topic.name());
    connection.abort(2_000);
  }

  @Test
  void amqpPropertiesAreThoseOfTheMessage() throws Exception {
    OutgoingMessage message =
        new OutgoingMessage(
            UUID.randomUUID(),
            queue,
            "stock-counted",
            "application/json",
            "{}".getBytes(StandardCharsets.UTF_8),
            Map.of("big", BigInteger.ONE.shiftLeft(80), "exact", new BigDecimal("1e-300")),
            "correlation",
            "shop",
            "sku-7",
            Duration.ofMinutes(1),
            7);
    assertThat(send(List.of(message))).containsExactly(new Confirmed());
    BasicProperties properties = get().getProps();
    assertThat(properties.getMessageId()).isEqualTo(message.messageId().toString());
    assertThat(properties.getType()).isEqualTo("stock-counted");
    assertThat(properties.getContentType()).isEqualTo("application/json");
    assertThat(properties.getCorrelationId()).isEqualTo("correlation");
    assertThat(properties.getAppId()).isEqualTo("shop");
    assertThat(properties.getDeliveryMode()).isEqualTo(2);
    assertThat(properties.getExpiration()).isEqualTo("60000");
    assertThat(properties.getPriority()).isEqualTo(7);
    assertThat(properties.getTimestamp()).isNotNull();
    assertThat(properties.getHeaders().get("x-ordering-key")).hasToString("sku-7");
    assertThat(properties.getHeaders().get("big"))
        .hasToString(BigInteger.ONE.shiftLeft(80).toString());
    assertThat(properties.getHeaders().get("exact")).hasToString("1E-300");
  }

  @Test
  void theRoutingKeyToATopicIsTheEventType() throws Exception {
    bind();
    assertThat(send(messages(topic, 1))).containsExactly(new Confirmed());
    assertThat(get().getEnvelope().getRoutingKey()).isEqualTo("stock-counted");
  }

  @Test
  void anExchangeOfAnotherKindIsUsedAsItIs() throws Exception {
    channel.exchangeDeclare(topic.name(), BuiltinExchangeType.FANOUT, false);
    channel.queueBind(name, topic.name(), "");
    assertThat(send(messages(topic, 1))).containsExactly(new Confirmed());
    assertThat(get().getEnvelope().getExchange()).isEqualTo(topic.name());
  }

  @Test
  void eachUnroutableMessageOfManyIsTheOneThatIsSaid() throws Exception {
    List<OutgoingMessage> messages = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      messages.add(message(i % 7 == 0 ? topic : queue));
    }
    List<SendResult> results = send(messages);
    for (int i = 0; i < messages.size(); i++) {
      assertThat(results.get(i))
          .as("message %d", i)
          .isInstanceOf(i % 7 == 0 ? Unroutable.class : Confirmed.class);
    }
    assertThat(results.get(0))
        .isEqualTo(
            new Unroutable(
                "no queue is bound to the exchange '%s' for 'stock-counted' (NO_ROUTE)"
                    .formatted(topic.name())));
    assertThat(received(857)).doesNotHaveDuplicates();
  }

  @Test
  void anExchangeThatIsDeletedWhileConnectedIsDeclaredAgain() throws Exception {
    bind();
    assertThat(send(messages(topic, 1))).containsExactly(new Confirmed());
    channel.exchangeDelete(topic.name());
    OutgoingMessage before = message(queue);
    OutgoingMessage lost = message(topic);
    OutgoingMessage after = message(queue);
    Settled settled = sendUntilSettled(sender, List.of(before, lost, after));
    assertThat(settled.of(before)).isInstanceOf(Confirmed.class);
    assertThat(settled.of(lost)).isInstanceOf(Unroutable.class); // nobody has bound to it again
    assertThat(settled.of(after)).isInstanceOf(Confirmed.class);
    assertThat(settled.rounds()).isEqualTo(2);
    bind();
    assertThat(send(messages(topic, 1))).containsExactly(new Confirmed());
  }

  @Test
  void messagesThatCannotBeWrittenAreRejectedAndTheOthersKeepTheirResults() throws Exception {
    OutgoingMessage largeHeader = withHeader("secret".repeat(40_000));
    OutgoingMessage odd = withHeader(new Object());
    OutgoingMessage longName = message(new Queue("ü".repeat(200)));
    List<SendResult> results =
        send(
            List.of(
                message(queue),
                largeHeader,
                message(topic),
                odd,
                longName,
                message(queue),
                message(topic)));
    assertThat(results)
        .extracting(Object::getClass)
        .isEqualTo(
            List.of(
                Confirmed.class,
                Rejected.class,
                Unroutable.class,
                Rejected.class,
                Rejected.class,
                Confirmed.class,
                Unroutable.class));
    assertThat(results.get(1)).asString().contains("at most 131072").doesNotContain("secret");
    assertThat(results.get(3)).asString().contains("do not fit AMQP").doesNotContain("secret");
    assertThat(results.get(4)).asString().contains("255 bytes");
    assertThat(received(2)).hasSize(2);
  }

  @Test
  void whatAUserMayNotWriteToIsRejectedAndTheOthersAreSent() throws Exception {
    Topic forbidden = new Topic("forbidden-" + name);
    List<OutgoingMessage> messages = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      messages.add(message(i == 20 || i == 35 ? forbidden : queue));
    }
    try (RabbitTransport limited = as("^(?!forbidden)", "^(?!forbidden)")) {
      channel.exchangeDeclare(forbidden.name(), BuiltinExchangeType.TOPIC, true);
      Settled settled = sendUntilSettled(limited.openSender(), messages);
      for (int i = 0; i < 50; i++) {
        assertThat(settled.of(messages.get(i)))
            .as("message %d", i)
            .isInstanceOf(i == 20 || i == 35 ? Rejected.class : Confirmed.class);
      }
      assertThat(settled.of(messages.get(20))).asString().contains("ACCESS_REFUSED");
      assertThat(settled.rounds()).isLessThanOrEqualTo(3);
      messages.removeIf(it -> it.destination().equals(forbidden));
      assertThat(received(48).stream().distinct()).isEqualTo(ids(messages));
    } finally {
      channel.exchangeDelete(forbidden.name());
    }
  }

  @Test
  void anExchangeThatMayNotBeDeclaredIsUsedIfItIsThere() throws Exception {
    bind();
    Topic missing = new Topic(name + ".missing");
    List<OutgoingMessage> messages =
        List.of(message(queue), message(topic), message(missing), message(topic), message(queue));
    try (RabbitTransport limited = as("^$", ".*")) {
      Settled settled = sendUntilSettled(limited.openSender(), messages);
      assertThat(settled.results().values())
          .extracting(Object::getClass)
          .isEqualTo(
              List.of(
                  Confirmed.class,
                  Confirmed.class,
                  Rejected.class,
                  Confirmed.class,
                  Confirmed.class));
      assertThat(settled.of(messages.get(2))).asString().contains("ACCESS_REFUSED", missing.name());
    }
  }

  @Test
  void whatTheBrokerRefusesForNowIsUnknown() throws Exception {
    String full = name + "-full";
    channel.queueDeclare(
        full, true, false, false, Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    try {
      assertThat(send(messages(new Queue(full), 1))).containsExactly(new Confirmed());
      assertThat(send(List.of(message(new Queue(full)), message(queue))))
          .satisfiesExactly(
              it -> assertThat(it).isInstanceOf(Unknown.class).asString().contains("for now"),
              it -> assertThat(it).isInstanceOf(Confirmed.class));
    } finally {
      channel.queueDelete(full);
    }
  }

  @Test
  void aBrokerThatIsNotThereIsUnavailableAtOnce() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    try (RabbitTransport nowhere = RabbitTransport.connect("amqp://localhost:" + port)) {
      MessageSender unable = nowhere.openSender();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> unable.send(messages(queue, 1)))
            .isInstanceOf(BrokerUnavailableException.class)
            .hasMessageContaining("ConnectException");
      }
    }
  }

  @Test
  void anInterruptedThreadSendsNothing() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> sender.send(messages(queue, 1)))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }

  private OutgoingMessage withHeader(Object value) {
    return message(queue, Map.of("header", value), new byte[1]);
  }

  /** A transport of a user who may do this only. */
  private RabbitTransport as(String configure, String write) {
    String user = "limited-" + UUID.randomUUID();
    server.ctl("add_user", user, "secret");
    server.ctl("set_permissions", "-p", "/", user, configure, write, "^$");
    return RabbitTransport.connect(server.uri().replaceFirst("//[^@]*@", "//" + user + ":secret@"));
  }

  private void bind() throws Exception {
    channel.exchangeDeclare(topic.name(), BuiltinExchangeType.TOPIC, true);
    channel.queueBind(name, topic.name(), "#");
  }

  private List<SendResult> send(List<OutgoingMessage> messages) throws InterruptedException {
    return sender.send(messages).await(PATIENCE);
  }

  private GetResponse get() throws Exception {
    return Received.next(channel, name);
  }

  private List<String> received(int count) throws Exception {
    return Received.ids(channel, name, count);
  }
}
