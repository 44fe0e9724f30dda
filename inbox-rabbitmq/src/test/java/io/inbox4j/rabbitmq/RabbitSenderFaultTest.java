package io.inbox4j.rabbitmq;

import static io.inbox4j.rabbitmq.Outgoing.ids;
import static io.inbox4j.rabbitmq.Outgoing.message;
import static io.inbox4j.rabbitmq.Outgoing.messages;
import static io.inbox4j.rabbitmq.Outgoing.sendUntilSettled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.rabbitmq.Outgoing.Settled;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.BrokerUnavailableException;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.MessageSender.SentBatch;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.OutgoingMessage.Queue;
import io.inbox4j.transport.SendResult;
import io.inbox4j.transport.SendResult.Confirmed;
import io.inbox4j.transport.SendResult.Rejected;
import io.inbox4j.transport.SendResult.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of messages while the broker fails, on a broker of its own. */
@Tag("slow")
@Timeout(180)
class RabbitSenderFaultTest {

  private static final int MEBIBYTE = 1 << 20;

  /** Shorter than usual, so that the tests are; a call takes less while the broker answers. */
  private static final Duration IMPATIENT = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static RabbitServer server;

  private final String name = "sender-" + UUID.randomUUID();
  private final Queue queue = new Queue(name);
  private RabbitTransport transport;
  private MessageSender sender;

  @BeforeAll
  static void startServer() {
    server = RabbitServer.start();
    assumeTrue(server.isOwn(), "a broker that can be broken");
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void open() throws Exception {
    withChannel(
        channel ->
            channel.queueDeclare(name, true, false, false, Map.of("x-queue-type", "quorum")));
    transport = RabbitTransport.connect(server.uri());
    sender = transport.openSender(IMPATIENT);
  }

  @AfterEach
  void close() throws Exception {
    server.unfreeze();
    transport.close();
    withChannel(channel -> channel.queueDelete(name));
  }

  @Test
  void whatIsConfirmedSurvivesAnEndOfTheBrokerAndTheRestIsUnknown() throws Exception {
    server.flush();
    List<OutgoingMessage> early = messages(queue, 1_000);
    List<OutgoingMessage> late = messages(queue, 1_000);
    SentBatch first = sender.send(early);
    server.freeze();
    SentBatch second = sender.send(late);
    server.kill9();
    List<SendResult> results = first.await(PATIENCE);
    assertThat(results).hasOnlyElementsOfTypes(Confirmed.class, Unknown.class);
    assertThat(second.await(PATIENCE)).hasSize(1_000).hasOnlyElementsOfType(Unknown.class);
    assertThatThrownBy(() -> sender.send(late)).isInstanceOf(BrokerUnavailableException.class);
    server.restart();
    List<OutgoingMessage> again = new ArrayList<>();
    for (int i = 0; i < early.size(); i++) {
      if (results.get(i) instanceof Unknown) {
        again.add(early.get(i));
      }
    }
    again.addAll(late);
    assertThat(sendUntilSettled(sender, again).results().values()).containsOnly(new Confirmed());
    List<OutgoingMessage> all = new ArrayList<>(early);
    all.addAll(late);
    assertThat(received(2_000).stream().distinct()).isEqualTo(ids(all));
  }

  @Test
  void nothingIsSentBeforeTheCallerKnowsWhatWasLost() throws Exception {
    assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    server.flush();
    server.freeze();
    SentBatch lost = sender.send(messages(queue, 10));
    server.kill9();
    server.restart();
    SentBatch next = sender.send(messages(queue, 10));
    assertThat(lost.await(PATIENCE)).hasSize(10).hasOnlyElementsOfType(Unknown.class);
    SentBatch another = sender.send(messages(queue, 1));
    assertThat(another.await(Duration.ZERO)).hasOnlyElementsOfType(Unknown.class);
    assertThat(next.await(Duration.ZERO)).hasSize(10).hasOnlyElementsOfType(Unknown.class);
    assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    assertThat(sendUntilSettled(sender, messages(queue, 10)).results().values())
        .containsOnly(new Confirmed());
    assertThat(received(12)).hasSize(12);
  }

  @Test
  void aBatchThatNobodyAwaitsIsForgottenWhenALaterOneIs() throws Exception {
    assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    server.flush();
    server.freeze();
    SentBatch dropped = sender.send(messages(queue, 10));
    server.kill9();
    server.restart();
    assertThat(sendUntilSettled(sender, messages(queue, 10)).rounds()).isEqualTo(2);
    assertThat(dropped.await(Duration.ZERO)).hasSize(10).hasOnlyElementsOfType(Unknown.class);
  }

  @Test
  void aConnectionThatTheBrokerClosesIsMadeAgain() throws Exception {
    List<OutgoingMessage> messages = messages(queue, 500);
    assertThat(sender.send(messages.subList(0, 100)).await(PATIENCE)).containsOnly(new Confirmed());
    server.closeAllConnections();
    Settled settled = sendUntilSettled(sender, messages.subList(100, 500));
    assertThat(settled.results().values()).containsOnly(new Confirmed());
    assertThat(received(500).stream().distinct()).isEqualTo(ids(messages));
  }

  @Test
  void messagesThatAreTooLargeAreRejectedAndTheOthersArriveInOrder() throws Exception {
    maxMessageSize(MEBIBYTE);
    try {
      List<OutgoingMessage> messages = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        messages.add(i == 100 || i == 101 || i == 250 ? tooLarge() : message(queue));
      }
      Settled settled = sendUntilSettled(sender, messages);
      for (int i = 0; i < 300; i++) {
        assertThat(settled.of(messages.get(i)))
            .as("message %d", i)
            .isInstanceOf(i == 100 || i == 101 || i == 250 ? Rejected.class : Confirmed.class);
      }
      assertThat(settled.of(messages.get(100))).asString().contains("PRECONDITION_FAILED");
      assertThat(settled.rounds()).isLessThanOrEqualTo(4);
      messages.removeIf(it -> it.body().length > MEBIBYTE);
      assertThat(received(297).stream().distinct()).isEqualTo(ids(messages));
    } finally {
      maxMessageSize(RabbitServer.MAX_MESSAGE_SIZE);
    }
  }

  @Test
  void aMessageThatIsTooLargeIsRejectedAtOnceIfItIsTheOnlyOne() throws Exception {
    maxMessageSize(MEBIBYTE);
    try {
      assertThat(sender.send(List.of(tooLarge())).await(PATIENCE))
          .hasOnlyElementsOfType(Rejected.class);
      assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    } finally {
      maxMessageSize(RabbitServer.MAX_MESSAGE_SIZE);
    }
  }

  @Test
  void aBrokerThatDoesNotAnswerIsGivenUpInTime() throws Exception {
    assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    server.freeze();
    List<OutgoingMessage> messages = messages(queue, 100);
    SentBatch first = sender.send(messages);
    SentBatch second = sender.send(messages(queue, 100));
    within(
        Duration.ofSeconds(10),
        () ->
            assertThat(first.await(Duration.ofSeconds(1)))
                .hasSize(100)
                .hasOnlyElementsOfType(Unknown.class));
    within(
        Duration.ofSeconds(1),
        () -> assertThat(second.await(PATIENCE)).hasOnlyElementsOfType(Unknown.class));
    within(
        Duration.ofSeconds(10), // nobody completes the handshake
        () ->
            assertThatThrownBy(() -> sender.send(messages))
                .isInstanceOf(BrokerUnavailableException.class)
                .hasMessageContaining("cannot be reached"));
    server.unfreeze();
    assertThat(sendUntilSettled(sender, messages).results().values()).containsOnly(new Confirmed());
  }

  @Test
  void aWriteThatTheBrokerDoesNotReadEndsInTime() throws Exception {
    assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    server.freeze();
    within(
        Duration.ofSeconds(10),
        () ->
            assertThat(sender.send(mebibytes(64)).await(Duration.ZERO))
                .hasSize(64)
                .hasOnlyElementsOfType(Unknown.class));
    server.unfreeze();
    assertThat(sendUntilSettled(sender, messages(queue, 10)).results().values())
        .containsOnly(new Confirmed());
  }

  @Test
  @SuppressWarnings("deprecation") // NIO, which somebody may still use
  void aWriteThatTheBrokerDoesNotReadEndsInTimeWithOtherKindsOfConnections() throws Exception {
    ConnectionFactory nio = RabbitTransport.settings(server.uri());
    nio.useNio();
    ConnectionFactory netty = RabbitTransport.settings(server.uri());
    netty.netty();
    for (ConnectionFactory settings : List.of(nio, netty)) {
      try (RabbitTransport other = RabbitTransport.connect(settings)) {
        MessageSender stuck = other.openSender(IMPATIENT);
        assertThat(stuck.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
        server.freeze();
        within(
            Duration.ofSeconds(40),
            () ->
                assertThat(stuck.send(mebibytes(64)).await(Duration.ofSeconds(1)))
                    .hasSize(64)
                    .hasOnlyElementsOfType(Unknown.class));
        within(Duration.ofSeconds(10), stuck::close);
      } finally {
        server.unfreeze();
      }
    }
  }

  @Test
  void aBatchForWhichTheBrokerIsTooSlowIsBrokenOffAndGoesOnWithTheNext() throws Exception {
    try (SlowProxy proxy = new SlowProxy(server.uri(), 4 * MEBIBYTE);
        RabbitTransport slow = RabbitTransport.connect(proxy.uri())) {
      MessageSender slowSender = slow.openSender(IMPATIENT);
      List<OutgoingMessage> messages = mebibytes(24);
      AtomicReference<SentBatch> first = new AtomicReference<>();
      within(Duration.ofSeconds(10), () -> first.set(slowSender.send(messages)));
      List<SendResult> results = first.get().await(PATIENCE);
      int sent = (int) results.stream().filter(Confirmed.class::isInstance).count();
      assertThat(sent).isBetween(1, 23);
      assertThat(results.subList(sent, 24)).hasOnlyElementsOfType(Unknown.class);
      assertThat(sendUntilSettled(slowSender, messages.subList(sent, 24)).results().values())
          .containsOnly(new Confirmed());
      assertThat(received(24)).isEqualTo(ids(messages));
    }
  }

  @Test
  void closingEndsAWriteThatTheBrokerDoesNotRead() throws Exception {
    assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    server.freeze();
    CompletableFuture<List<SendResult>> stuck =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return sender.send(mebibytes(64)).await(PATIENCE);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    await().until(RabbitSenderFaultTest::isWriting);
    within(Duration.ofSeconds(5), sender::close);
    assertThat(stuck)
        .succeedsWithin(Duration.ofSeconds(5))
        .satisfies(it -> assertThat(it).hasSize(64).hasOnlyElementsOfType(Unknown.class));
  }

  @Test
  void aSenderOfABrokerThatIsFrozenClosesInTime() throws Exception {
    SentBatch batch = sender.send(messages(queue, 100));
    server.freeze();
    within(Duration.ofSeconds(5), sender::close);
    assertThat(batch.await(Duration.ZERO)).hasOnlyElementsOfTypes(Confirmed.class, Unknown.class);
  }

  @Test
  void aBlockedConnectionThatIsGivenUpTellsWhenTheBrokerAcceptsMessagesAgain() throws Exception {
    assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    raiseAlarm();
    try {
      List<OutgoingMessage> messages = messages(queue, 10);
      SentBatch batch = sender.send(messages);
      await().atMost(PATIENCE).until(() -> sender.blocked() != null);
      assertThat(batch.await(Duration.ofMillis(100)))
          .hasOnlyElementsOfTypes(Confirmed.class, Unknown.class);
      assertThatThrownBy(() -> sender.send(messages))
          .isInstanceOf(BrokerUnavailableException.class)
          .hasMessageContaining("accepts no messages");
      assertThat(sender.blocked()).contains("memory");
      watermark("0.4");
      await().atMost(PATIENCE).until(() -> sender.blocked() == null);
      assertThat(sendUntilSettled(sender, messages).results().values())
          .containsOnly(new Confirmed());
      assertThat(received(11).stream().distinct()).hasSize(11);
    } finally {
      watermark("0.4");
    }
  }

  @Test
  void moreThanABlockedBrokerReadsIsNotWrittenForEver() throws Exception {
    assertThat(sender.send(messages(queue, 1)).await(PATIENCE)).containsExactly(new Confirmed());
    raiseAlarm();
    try {
      within(
          Duration.ofSeconds(25),
          () ->
              assertThat(sender.send(mebibytes(64)).await(Duration.ofSeconds(1)))
                  .hasSize(64)
                  .hasOnlyElementsOfTypes(Confirmed.class, Unknown.class)
                  .last()
                  .isInstanceOf(Unknown.class));
      List<OutgoingMessage> messages = messages(queue, 10);
      for (int i = 0; i < 10 && sender.blocked() == null; i++) {
        sender.send(messages).await(Duration.ofSeconds(1));
      }
      assertThat(sender.blocked()).contains("memory");
      watermark("0.4");
      await().atMost(PATIENCE).until(() -> sender.blocked() == null);
      assertThat(sendUntilSettled(sender, messages).results().values())
          .containsOnly(new Confirmed());
    } finally {
      watermark("0.4");
    }
  }

  private List<OutgoingMessage> mebibytes(int count) {
    byte[] body = new byte[MEBIBYTE];
    return IntStream.range(0, count).mapToObj(i -> message(queue, Map.of(), body)).toList();
  }

  private OutgoingMessage tooLarge() {
    return message(queue, MEBIBYTE + 1);
  }

  private static boolean isWriting() {
    return Thread.getAllStackTraces().values().stream()
        .map(stack -> Arrays.stream(stack).map(StackTraceElement::getMethodName).toList())
        .anyMatch(methods -> methods.contains("basicPublish") && methods.contains("implWrite"));
  }

  private static void raiseAlarm() {
    watermark("0.00001");
    await()
        .atMost(PATIENCE)
        .until(() -> server.ctl("eval", "rabbit_alarm:get_alarms().").contains("memory"));
  }

  private static void watermark(String share) {
    server.ctl("eval", "vm_memory_monitor:set_vm_memory_high_watermark(%s).".formatted(share));
  }

  /** Applies to channels that are opened later. */
  private static void maxMessageSize(int bytes) {
    server.ctl(
        "eval",
        "application:set_env(rabbit, max_message_size, %d), persistent_term:put(max_message_size, %d)."
            .formatted(bytes, bytes));
  }

  private interface Step {
    void run() throws Exception;
  }

  private static void within(Duration time, Step step) throws Exception {
    long start = System.nanoTime();
    step.run();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(time);
  }

  private interface OnChannel {
    void run(Channel channel) throws Exception;
  }

  private static void withChannel(OnChannel work) throws Exception {
    try (Connection connection = RabbitTransport.settings(server.uri()).newConnection()) {
      work.run(connection.createChannel());
    }
  }

  private List<String> received(int atLeast) throws Exception {
    List<String> ids = new ArrayList<>();
    withChannel(channel -> ids.addAll(Received.ids(channel, name, atLeast)));
    return ids;
  }
}
