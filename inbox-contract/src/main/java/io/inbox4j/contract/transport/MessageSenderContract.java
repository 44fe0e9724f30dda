package io.inbox4j.contract.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.transport.Binding;
import io.inbox4j.transport.BrokerUnavailableException;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.InboxTransport.Receiver;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.MessageSender.SentBatch;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.OutgoingMessage.Destination;
import io.inbox4j.transport.OutgoingMessage.Queue;
import io.inbox4j.transport.OutgoingMessage.Topic;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.SendResult;
import io.inbox4j.transport.SendResult.Confirmed;
import io.inbox4j.transport.SendResult.Unknown;
import io.inbox4j.transport.SendResult.Unroutable;
import io.inbox4j.transport.Topology;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the sender of every transport must do. A transport's test extends it and gives it a fixture;
 * the contract knows nothing of a transport but its port.
 */
public abstract class MessageSenderContract {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String TYPE = "recorded-event";

  private final String name = "contract-" + UUID.randomUUID();
  private final Topic topic = new Topic(name + ".events");
  private final Queue queue = new Queue(name);
  private final ReceiverProbe probe = new ReceiverProbe();
  private SenderFixture fixture;
  private InboxTransport transport;
  private MessageSender sender;

  /** The fixture of one test, with a broker that all tests of a class may share. */
  protected abstract SenderFixture newFixture();

  @BeforeEach
  void open() {
    fixture = newFixture();
    transport = fixture.newTransport();
    sender = transport.openSender();
  }

  @AfterEach
  void close() {
    transport.close();
    fixture.close();
  }

  @Test
  void aMessageToATopicArrivesInEveryQueueThatIsBoundToIt() throws InterruptedException {
    ReceiverProbe other = new ReceiverProbe();
    receive(name, probe, new Binding(topic.name(), "#"));
    receive(name + "-other", other, new Binding(topic.name(), "recorded-*"), toTopic(TYPE));
    receive(name + "-third", new ReceiverProbe(), toTopic("another-type"));
    assertConfirmed(send(messages(topic, 0, 3)));
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(0, 3)));
    eventually(() -> assertThat(other.bodies()).isEqualTo(bodies(0, 3)));
  }

  @Test
  void aTopicThatNobodyHasDeclaredIsThereForThoseWhoSubscribeLater() throws InterruptedException {
    assertThat(await(send(messages(topic, 0, 1)))).hasOnlyElementsOfType(Unroutable.class);
    receive(name, probe, toTopic("#"));
    assertConfirmed(send(messages(topic, 1, 1)));
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(1, 1)));
  }

  @Test
  void aMessageToAQueueArrivesThere() throws InterruptedException {
    receive(name, probe);
    assertConfirmed(send(messages(queue, 0, 3)));
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(0, 3)));
  }

  @Test
  void messagesOfSeveralBatchesInFlightArriveInTheOrderInWhichTheyWereSent()
      throws InterruptedException {
    receive(name, probe, toTopic("#"));
    List<SentBatch> inFlight = new ArrayList<>();
    for (int i = 0; i < 500; i += 50) {
      inFlight.add(send(messages(i % 100 == 0 ? topic : queue, i, 50)));
    }
    for (SentBatch batch : inFlight) {
      assertConfirmed(batch);
    }
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(0, 500)));
  }

  @Test
  void aMessageThatHasNoQueueIsUnroutableAndTheOthersAreConfirmed() throws InterruptedException {
    receive(name, probe, toTopic("#"));
    Topic missing = new Topic(name + ".missing");
    List<SendResult> results =
        await(
            send(
                List.of(
                    message(topic, "m0"),
                    message(missing, "unroutable"),
                    message(queue, "m1"),
                    message(new Queue(name + ".missing"), "unroutable"),
                    message(topic, "m2"))));
    assertThat(results)
        .extracting(Object::getClass)
        .isEqualTo(
            List.of(
                Confirmed.class,
                Unroutable.class,
                Confirmed.class,
                Unroutable.class,
                Confirmed.class));
    assertThat(results.get(1)).asString().contains(missing.name());
    assertThat(results.get(3)).asString().contains(name + ".missing");
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(0, 3)));
  }

  @Test
  void theSameMessageSeveralTimesInFlightHasAResultEachTime() throws InterruptedException {
    receive(name, probe, toTopic("#"));
    OutgoingMessage routable = message(topic, "m0");
    OutgoingMessage lost = to(new Topic(name + ".missing"), routable);
    SentBatch first = send(List.of(routable, lost, routable, lost));
    SentBatch second = send(List.of(lost, routable));
    assertThat(await(first))
        .extracting(Object::getClass)
        .isEqualTo(List.of(Confirmed.class, Unroutable.class, Confirmed.class, Unroutable.class));
    assertThat(await(second))
        .extracting(Object::getClass)
        .isEqualTo(List.of(Unroutable.class, Confirmed.class));
    eventually(() -> assertThat(probe.bodies()).containsExactly("m0", "m0", "m0"));
  }

  @Test
  void aMessageArrivesAsItWasMade() throws InterruptedException {
    Map<String, @Nullable Object> headers = new HashMap<>();
    headers.put("text", "ü");
    headers.put("number", 7);
    headers.put("large", 1L << 40);
    headers.put("fraction", 0.5);
    headers.put("flag", true);
    headers.put("nothing", null);
    headers.put("list", List.of("a", 1));
    headers.put("table", Map.of("a", Map.of("b", "c")));
    UUID id = UUID.randomUUID();
    byte[] body = {0, 1, (byte) 0xff, '{'};
    receive(name, probe, toTopic("#"));
    assertConfirmed(
        send(
            List.of(
                new OutgoingMessage(
                    id,
                    topic,
                    "order-created",
                    "application/cbor",
                    body,
                    headers,
                    "correlation",
                    "shop",
                    "order-7",
                    Duration.ofDays(366),
                    9))));
    eventually(() -> assertThat(probe.stored()).hasSize(1));
    Delivery delivery = probe.stored().get(0).delivery();
    headers.put(OutgoingMessage.ORDERING_KEY_HEADER, "order-7");
    assertThat(delivery.messageId()).isEqualTo(id.toString());
    assertThat(delivery.type()).isEqualTo("order-created");
    assertThat(delivery.contentType()).isEqualTo("application/cbor");
    assertThat(delivery.contentEncoding()).isNull();
    assertThat(delivery.correlationId()).isEqualTo("correlation");
    assertThat(delivery.source()).isEqualTo("shop");
    assertThat(delivery.headers()).isEqualTo(headers);
    assertThat(delivery.body()).isEqualTo(body);
    assertThat(delivery.redelivered()).isFalse();
  }

  @Test
  void whatAMessageDoesNotHaveIsNull() throws InterruptedException {
    receive(name, probe);
    assertConfirmed(send(messages(queue, 0, 1)));
    eventually(() -> assertThat(probe.stored()).hasSize(1));
    Delivery delivery = probe.stored().get(0).delivery();
    assertThat(delivery.correlationId()).isNull();
    assertThat(delivery.source()).isNull();
    assertThat(delivery.headers()).isEmpty();
  }

  @Test
  void anEmptyBatchHasNoResults() throws InterruptedException {
    assertThat(await(send(List.of()))).isEmpty();
  }

  @Test
  void resultsStayWhatTheyAre() throws InterruptedException {
    receive(name, probe);
    SentBatch batch = send(messages(queue, 0, 2));
    List<SendResult> results = await(batch);
    sender.close();
    assertThat(batch.await(Duration.ZERO)).isEqualTo(results);
  }

  @Test
  void sendingGoesOnAfterConnectionsWereLost() throws InterruptedException {
    receive(name, probe, toTopic("#"));
    assertConfirmed(send(messages(topic, 0, 1)));
    fixture.breakConnections();
    SendResult result = new Unknown("not sent");
    for (int i = 0; i < 100 && result instanceof Unknown; i++) {
      result = await(trySend(messages(topic, 1, 1))).get(0);
    }
    assertThat(result).isEqualTo(new Confirmed());
    eventually(() -> assertThat(probe.bodies()).containsAll(bodies(0, 2)));
  }

  @Test
  void whatIsSentAgainAfterALossIsNotOvertaken() throws InterruptedException {
    // what a receiver had in flight when it lost its connection may be requeued in another order
    receive(name, new ReceiverProbe(), toTopic("#")).close(PATIENCE);
    List<OutgoingMessage> all = messages(topic, 0, 3_000);
    List<OutgoingMessage> toSend = new ArrayList<>(all);
    Map<SentBatch, List<OutgoingMessage>> inFlight = new LinkedHashMap<>();
    int sent = 0;
    while (!toSend.isEmpty() || !inFlight.isEmpty()) {
      List<OutgoingMessage> again = new ArrayList<>();
      if (toSend.isEmpty() || inFlight.size() == 5) {
        again.addAll(takeFirst(inFlight));
      } else {
        List<OutgoingMessage> next = List.copyOf(toSend.subList(0, Math.min(50, toSend.size())));
        toSend.subList(0, next.size()).clear();
        SentBatch batch = trySend(next);
        inFlight.put(batch, next);
        if (++sent % 20 == 0 && sent <= 60) {
          fixture.breakConnections();
        }
        if (!(batch instanceof NotSent)) {
          continue;
        }
      }
      while (!inFlight.isEmpty() && (!again.isEmpty() || isNotSent(inFlight))) {
        again.addAll(takeFirst(inFlight));
      }
      toSend.addAll(0, again);
    }
    receive(name, probe, toTopic("#"));
    eventually(
        () -> assertThat(probe.bodies().stream().distinct()).isEqualTo(bodies(0, all.size())));
  }

  private static boolean isNotSent(Map<SentBatch, List<OutgoingMessage>> inFlight) {
    return inFlight.keySet().stream().anyMatch(NotSent.class::isInstance);
  }

  /** Awaits the first batch, and returns what is to be sent again. */
  private static List<OutgoingMessage> takeFirst(Map<SentBatch, List<OutgoingMessage>> inFlight)
      throws InterruptedException {
    SentBatch first = inFlight.keySet().iterator().next();
    List<OutgoingMessage> messages = inFlight.remove(first);
    List<SendResult> results = await(first);
    List<OutgoingMessage> again = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      if (results.get(i) instanceof Unknown) {
        again.add(messages.get(i));
      }
    }
    return again;
  }

  @Test
  void aSenderThatIsBlockedSaysSoAndAcceptsNothing() throws InterruptedException {
    receive(name, probe);
    assertConfirmed(send(messages(queue, 0, 1)));
    assertThat(sender.blocked()).isNull();
    fixture.block();
    try {
      for (int i = 0; i < 100 && sender.blocked() == null; i++) {
        trySend(messages(queue, 1, 1)).await(Duration.ofMillis(100));
      }
      assertThat(sender.blocked()).isNotBlank();
      assertThatThrownBy(() -> send(messages(queue, 2, 1)))
          .isInstanceOf(BrokerUnavailableException.class)
          .hasMessageContaining(sender.blocked());
    } finally {
      fixture.unblock();
    }
    eventually(() -> assertThat(sender.blocked()).isNull());
    assertConfirmed(send(messages(queue, 3, 1)));
    eventually(() -> assertThat(probe.bodies()).contains("m0", "m3").doesNotContain("m2"));
  }

  @Test
  void whatIsInFlightWhenASenderIsClosedIsConfirmedOrUnknown() throws InterruptedException {
    receive(name, probe);
    SentBatch batch = send(messages(queue, 0, 50));
    sender.close();
    long start = System.nanoTime();
    List<SendResult> results = await(batch);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertThat(results).hasSize(50).hasOnlyElementsOfTypes(Confirmed.class, Unknown.class);
    List<String> confirmed =
        IntStream.range(0, 50)
            .filter(i -> results.get(i) instanceof Confirmed)
            .mapToObj(i -> "m" + i)
            .toList();
    eventually(() -> assertThat(probe.bodies()).containsAll(confirmed));
  }

  @Test
  void aClosedSenderSendsNothing() throws InterruptedException {
    receive(name, probe);
    assertConfirmed(send(messages(queue, 0, 1)));
    sender.close();
    sender.close();
    assertThatThrownBy(() -> send(messages(queue, 1, 1)))
        .isInstanceOf(BrokerUnavailableException.class)
        .hasMessageContaining("closed");
    assertThat(sender.blocked()).isNull();
    sender = transport.openSender();
    assertConfirmed(send(messages(queue, 2, 1)));
    eventually(() -> assertThat(probe.bodies()).containsExactly("m0", "m2"));
  }

  @Test
  void closingATransportClosesItsSenders() throws InterruptedException {
    MessageSender another = transport.openSender();
    transport.close();
    assertThatThrownBy(() -> another.send(messages(queue, 0, 1)))
        .isInstanceOf(BrokerUnavailableException.class);
  }

  private Binding toTopic(String routingKey) {
    return new Binding(topic.name(), routingKey);
  }

  private Receiver receive(String from, ReceiverProbe receiver, Binding... bindings) {
    return transport.receive(
        new ReceiveEndpoint(from, Topology.quorum(), List.of(bindings), 1, 1_000, 100),
        receiver,
        new ConnectionLog());
  }

  private SentBatch send(List<OutgoingMessage> messages) throws InterruptedException {
    return sender.send(messages);
  }

  /** Sends messages; if the broker is not available, all are unknown. */
  private SentBatch trySend(List<OutgoingMessage> messages) throws InterruptedException {
    try {
      return send(messages);
    } catch (BrokerUnavailableException e) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      return new NotSent(messages.size());
    }
  }

  private record NotSent(int size) implements SentBatch {

    @Override
    public List<SendResult> await(Duration atMost) {
      return Collections.nCopies(size, new Unknown("not sent"));
    }
  }

  private static List<SendResult> await(SentBatch batch) throws InterruptedException {
    return batch.await(PATIENCE);
  }

  private static void assertConfirmed(SentBatch batch) throws InterruptedException {
    assertThat(await(batch)).isNotEmpty().containsOnly(new Confirmed());
  }

  /** The messages m-first and so on, this many. */
  private static List<OutgoingMessage> messages(Destination destination, int first, int count) {
    return bodies(first, count).stream().map(body -> message(destination, body)).toList();
  }

  private static List<String> bodies(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(n -> "m" + n).toList();
  }

  private static OutgoingMessage message(Destination destination, String body) {
    return new OutgoingMessage(
        UUID.randomUUID(),
        destination,
        TYPE,
        "application/json",
        body.getBytes(StandardCharsets.UTF_8),
        Map.of(),
        null,
        null,
        null,
        null,
        null);
  }

  private static OutgoingMessage to(Destination destination, OutgoingMessage message) {
    return new OutgoingMessage(
        message.messageId(),
        destination,
        message.type(),
        message.contentType(),
        message.body(),
        message.headers(),
        null,
        null,
        null,
        null,
        null);
  }

  /** Repeats an assertion until it holds, for 30 seconds at most. */
  private static void eventually(Runnable assertion) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      try {
        assertion.run();
        return;
      } catch (AssertionError e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
