package io.inbox4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.impl.Frame;
import io.inbox4j.Inbox;
import io.inbox4j.cli.Cli.Result;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Topology;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(120)
class RecoverTest {

  private static final String AMQP = RabbitServer.shared().uri();

  private final String queue = "recover-" + UUID.randomUUID();
  private final String deadLetters = queue + ".dead-letter";
  private String letters = deadLetters;
  private Connection connection;
  private Channel channel;

  @BeforeEach
  void connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(AMQP);
    factory.setAutomaticRecoveryEnabled(false);
    connection = factory.newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  @AfterEach
  void disconnect() throws Exception {
    connection.close();
  }

  @Test
  void deadLettersOfAQuorumQueueAreBackAsTheyWerePublished() throws Exception {
    declare(Topology.quorum(), deadLetters);
    comeBackAsTheyWerePublished();
  }

  @Test
  void deadLettersOfAClassicQueueAreBackAsTheyWerePublished() throws Exception {
    declare(Topology.classic(), deadLetters);
    comeBackAsTheyWerePublished();
  }

  private void comeBackAsTheyWerePublished() throws Exception {
    String other = channel.queueDeclare().getQueue();
    Map<String, Object> headers = Map.of("tenant", 7, "CC", List.of(other));
    BasicProperties published =
        new BasicProperties.Builder()
            .messageId("m1")
            .type("order-placed")
            .contentType("application/json")
            .correlationId("c1")
            .appId("shop")
            .deliveryMode(2)
            .timestamp(Date.from(Instant.parse("2026-01-02T03:04:05Z")))
            .userId("guest")
            .headers(headers)
            .build();
    publish(queue, published);
    publish(queue, new BasicProperties.Builder().messageId("m2").build());
    die(2);
    channel.queuePurge(other);
    publish(deadLetters, unreadable());

    Result result = Cli.here("recover", queue, "--amqp", AMQP, "--json");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.json().get("recovered").asInt()).isEqualTo(2);
    assertThat(result.json().get("unreadable").asInt()).isOne();
    assertThat(result.json().get("ofOthers").asInt()).isZero();

    GetResponse first = get(queue);
    assertThat(first.getBody()).isEqualTo(body());
    assertThat(first.getProps().getMessageId()).isEqualTo("m1");
    assertThat(first.getProps().getType()).isEqualTo("order-placed");
    assertThat(first.getProps().getContentType()).isEqualTo("application/json");
    assertThat(first.getProps().getCorrelationId()).isEqualTo("c1");
    assertThat(first.getProps().getAppId()).isEqualTo("shop");
    assertThat(first.getProps().getDeliveryMode()).isEqualTo(2);
    assertThat(first.getProps().getTimestamp()).isEqualTo(published.getTimestamp());
    Map<String, Object> own = new HashMap<>(first.getProps().getHeaders());
    own.remove("x-delivery-count"); // of this very delivery
    assertThat(own).isEqualTo(Map.of("tenant", 7));
    assertThat(get(queue).getProps().getMessageId()).isEqualTo("m2");
    assertThat(channel.messageCount(other)).as("sent to others again").isZero();
    eventuallyReady(deadLetters, 1);
  }

  @Test
  void whatIsBackIsHandledAndWhatIsThereTwiceOnce() throws Exception {
    Tables tables = Tables.none();
    AtomicInteger duplicates = new AtomicInteger();
    InboxListener heard =
        new InboxListener() {
          @Override
          public void duplicate(Duplicate event) {
            duplicates.incrementAndGet();
          }
        };
    declare(Topology.quorum(), deadLetters);
    for (int i = 0; i < 2; i++) { // as after a death between the confirmation and the ack
      publish(queue, order());
    }
    die(2);
    Result result = Cli.here("recover", queue, "--amqp", AMQP);
    assertThat(result.out()).isEqualTo("2 messages are back in %s.%n".formatted(queue));
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(tables.url()))
            .transport(RabbitTransport.connect(AMQP))
            .listener(heard)
            .subscribe(queue, it -> it.receive(OrderPlaced.class))
            .build()) {
      inbox.startReceiving();
      await().atMost(Duration.ofSeconds(60)).until(() -> duplicates.get() == 1);
      assertThat(inbox.backlog(queue).pending()).isOne();
    }
  }

  @Test
  void ofASharedQueueOnlyThoseThatDiedInTheQueueAreTaken() throws Exception {
    String shared = "shared-" + queue;
    declare(Topology.quorum().deadLetterExchange(shared), shared);
    publish(queue, new BasicProperties.Builder().messageId("mine").build());
    die(1);
    publish(shared, new BasicProperties.Builder().messageId("anybody's").build());

    Result result = Cli.here("recover", queue, "--from", shared, "--amqp", AMQP, "--json");
    assertThat(result.json().get("recovered").asInt()).as(result.err()).isOne();
    assertThat(result.json().get("ofOthers").asInt()).isOne();
    assertThat(get(queue).getProps().getMessageId()).isEqualTo("mine");
    eventuallyReady(shared, 1);
  }

  @Test
  void noMoreThanTheLimitAreTaken() throws Exception {
    declare(Topology.quorum(), deadLetters);
    for (int i = 0; i < 3; i++) {
      publish(deadLetters, new BasicProperties.Builder().messageId("m" + i).build());
    }
    Result result = Cli.here("recover", queue, "--amqp", AMQP, "--limit", "1");
    assertThat(result.out()).isEqualTo("1 message is back in %s.%n".formatted(queue));
    assertThat(get(queue).getProps().getMessageId()).isEqualTo("m0");
    eventuallyReady(deadLetters, 2);
    assertThat(Cli.here("recover", queue, "--amqp", AMQP, "--limit", "0").code()).isEqualTo(2);
  }

  @Test
  void whatTheBrokerDoesNotTakeStays() throws Exception {
    channel.queueDeclare(
        queue, true, false, false, Map.of("x-max-length", 0, "x-overflow", "reject-publish"));
    channel.queueDeclare(deadLetters, true, false, false, null);
    publish(deadLetters, new BasicProperties.Builder().messageId("m").build());
    Result result = Cli.here("recover", queue, "--amqp", AMQP);
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("does not take messages for '" + queue + "'");
    eventuallyReady(deadLetters, 1);
  }

  @Test
  void oneThatNoClientCanPublishStaysAndTheOthersAreTaken() throws Exception {
    declare(Topology.quorum(), deadLetters);
    publish(deadLetters, new BasicProperties.Builder().messageId("before").build());
    publish(deadLetters, tooLongOnceDecoded());
    publish(deadLetters, new BasicProperties.Builder().messageId("behind").build());
    Result result = Cli.here("recover", queue, "--amqp", AMQP, "--json");
    assertThat(result.json().get("recovered").asInt()).as(result.err()).isEqualTo(2);
    assertThat(result.json().get("unpublishable").asInt()).isOne();
    assertThat(get(queue).getProps().getMessageId()).isEqualTo("before");
    assertThat(get(queue).getProps().getMessageId()).isEqualTo("behind");
    eventuallyReady(deadLetters, 1);
  }

  @Test
  void oneThatIsLargerThanTheClientAllowsUnaskedIsTakenToo() throws Exception {
    String version = String.valueOf(connection.getServerProperties().get("version"));
    assumeThat(version).as("from 4 on there are none as large").startsWith("3.");
    declare(Topology.quorum(), deadLetters);
    int size = 65 << 20;
    channel.basicPublish("", deadLetters, null, new byte[size]);
    channel.waitForConfirmsOrDie(60_000);
    Result result = Cli.here("recover", queue, "--amqp", AMQP);
    assertThat(result.code()).as(result.err()).isZero();
    eventuallyReady(queue, 1);
    channel.queueDelete(queue);
  }

  @Test
  void aQueueThatIsNotThereIsSaid() {
    Result result = Cli.here("recover", queue, "--amqp", AMQP);
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("the queue '" + queue + "': NOT_FOUND");
  }

  private void declare(Topology topology, String forDeadLetters) throws Exception {
    letters = forDeadLetters;
    channel.exchangeDeclare(letters, BuiltinExchangeType.FANOUT, true);
    channel.queueDeclare(
        letters, true, false, false, RabbitTransport.deadLetterArguments(topology));
    channel.queueBind(letters, letters, "");
    channel.queueDeclare(
        queue, true, false, false, RabbitTransport.queueArguments(queue, topology));
  }

  private void publish(String to, BasicProperties properties) throws Exception {
    channel.basicPublish("", to, properties, body());
    channel.waitForConfirmsOrDie(30_000);
  }

  private static byte[] body() {
    return "{}".getBytes(StandardCharsets.UTF_8);
  }

  private static BasicProperties order() {
    return new BasicProperties.Builder()
        .messageId("00000000-0000-4000-8000-000000000001")
        .contentType("application/json")
        .build();
  }

  private static BasicProperties unreadable() {
    Object header = "bottom";
    for (int i = 0; i < 40; i++) {
      header = Map.of("level", header);
    }
    return new BasicProperties.Builder().headers(Map.of("deep", header)).build();
  }

  /** Bytes that are no UTF-8: each becomes a character of three bytes. */
  private static BasicProperties tooLongOnceDecoded() {
    return new BasicProperties() {
      @Override
      public Frame toFrame(int number, long bodySize) {
        Frame frame = new Frame(com.rabbitmq.client.AMQP.FRAME_HEADER, number);
        byte[] id = new byte[100];
        Arrays.fill(id, (byte) 0xE9);
        try {
          DataOutputStream out = frame.getOutputStream();
          out.writeShort(getClassId());
          out.writeShort(0); // weight
          out.writeLong(bodySize);
          out.writeShort(1 << 7); // the message id
          out.writeByte(id.length);
          out.write(id);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        return frame;
      }
    };
  }

  /** As messages die whose deliveries are used up. */
  private void die(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      channel.basicReject(get(queue).getEnvelope().getDeliveryTag(), false);
    }
    eventuallyReady(letters, count);
  }

  private GetResponse get(String from) {
    return await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> channel.basicGet(from, false), it -> it != null);
  }

  private void eventuallyReady(String name, long count) {
    await().atMost(Duration.ofSeconds(30)).until(() -> channel.messageCount(name) == count);
  }
}
