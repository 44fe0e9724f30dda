package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.error.InboxException;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class InboxConsumerTest {

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private Connection producing;
  private Connection consuming;
  private Channel producer;
  private String queue;

  @BeforeEach
  void connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.shared().uri());
    factory.setAutomaticRecoveryEnabled(false);
    producing = factory.newConnection();
    consuming = factory.newConnection();
    producer = producing.createChannel();
    producer.confirmSelect();
    queue = producer.queueDeclare("", false, false, false, null).getQueue();
  }

  @AfterEach
  void disconnect() {
    consuming.abort(2_000);
    producing.abort(2_000);
  }

  @Test
  void whatIsStoredIsAcknowledged() throws Exception {
    RecordingReceiver deliveryReceiver = new RecordingReceiver(deliveries -> {});
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    publish(50);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(50));
    consumer.close(DEADLINE);
    consuming.close();
    assertThat(producer.messageCount(queue)).isZero();
    assertThat(deliveryReceiver.stored()).isEqualTo(bodies(50));
  }

  @Test
  void nothingIsAcknowledgedBeforeTheIntakeHasReturned() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    RecordingReceiver deliveryReceiver = new RecordingReceiver(deliveries -> never.await());
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    publish(50);
    eventually(() -> assertThat(deliveryReceiver.calls()).isOne());
    assertThat(consumer.stored()).isZero();
    consuming.close();
    eventually(() -> assertThat(producer.messageCount(queue)).isEqualTo(50));
    never.countDown();
    assertThat(consumer.failure()).succeedsWithin(DEADLINE);
  }

  @Test
  void deliveriesThatCouldNotBeStoredAreOfferedAgainAndThenAcknowledged() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              if (failures.getAndIncrement() < 3) {
                throw new StoreUnavailableException("away", new IOException("refused"));
              }
            });
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    publish(50);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(50));
    assertThat(deliveryReceiver.calls()).isGreaterThan(3);
    assertThat(deliveryReceiver.stored()).isEqualTo(bodies(50));
    assertThat(consumer.failure()).isNotDone();
    consumer.close(DEADLINE);
    consuming.close();
    assertThat(producer.messageCount(queue)).isZero();
  }

  @Test
  void closingWhileTheStoreIsAwayLeavesDeliveriesToTheBroker() throws Exception {
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              throw new StoreUnavailableException("away", new IOException("refused"));
            });
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    publish(50);
    eventually(() -> assertThat(deliveryReceiver.calls()).isGreaterThan(1));
    consumer.close(DEADLINE);
    consuming.close();
    eventually(() -> assertThat(producer.messageCount(queue)).isEqualTo(50));
    assertThat(deliveryReceiver.stored()).isEmpty();
  }

  @Test
  void whateverAnIntakeThrowsItsDeliveriesAreOfferedAgain() throws Exception {
    List<Throwable> failures =
        new CopyOnWriteArrayList<>(
            List.of(
                new IllegalStateException("a defect"),
                new AssertionError("a defect"),
                new StackOverflowError(),
                new Exception("that nobody declares")));
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              Thread.currentThread().interrupt(); // leaves its thread so
              if (!failures.isEmpty()) {
                throw undeclared(failures.remove(0));
              }
            });
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    publish(50);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(50));
    assertThat(failures).isEmpty();
    assertThat(deliveryReceiver.stored()).isEqualTo(bodies(50));
    assertThat(consumer.failure()).isNotDone();
  }

  @Test
  void whatThereIsNoMemoryToStoreIsLetGoAndTheBrokerHasItBack() throws Exception {
    OutOfMemoryError failure = new OutOfMemoryError("Java heap space");
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              throw new InboxException("a middleware failed", failure);
            });
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    publish(50);
    assertThat(consumer.failure()).succeedsWithin(DEADLINE).isSameAs(failure);
    eventually(() -> assertThat(consumer.isStoring()).isFalse());
    assertThat(deliveryReceiver.calls()).isOne();
    consuming.close();
    eventually(() -> assertThat(producer.messageCount(queue)).isEqualTo(50));
  }

  /** As Kotlin throws what Java has to declare. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is the trick
  private static <E extends Throwable> E undeclared(Throwable failure) throws E {
    throw (E) failure;
  }

  @Test
  void whateverTheChecksThrowTheDeliveryIsPutAsideWithIt() throws Exception {
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(deliveries -> {}) {
          @Override
          public ValidatedDelivery check(Delivery delivery) {
            throw new AssertionError("with the payload");
          }
        };
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    publish(3);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(3));
    assertThat(deliveryReceiver.arrivals())
        .allSatisfy(
            arrival -> {
              ValidatedDelivery.Rejected rejected = (ValidatedDelivery.Rejected) arrival;
              assertThat(rejected.reason()).isEqualTo(QuarantineReason.UNREADABLE);
              assertThat(rejected.detail())
                  .contains("java.lang.AssertionError at " + getClass().getName())
                  .doesNotContain("with the payload");
            });
    assertThat(consumer.failure()).isNotDone();
  }

  @Test
  void whileTheStoreIsAwayForLongTheBrokerHasTheDeliveriesBackAndThoseInFlightAreTriedOn()
      throws Exception {
    AtomicBoolean away = new AtomicBoolean(true);
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              if (away.get()) {
                throw new StoreUnavailableException("away", new IOException("refused"));
              }
            });
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    publish(50);
    assertThat(consumer.failure())
        .succeedsWithin(DEADLINE)
        .asString()
        .contains("nothing is taken until it can be stored: away");
    consuming.close();
    eventually(() -> assertThat(producer.messageCount(queue)).isEqualTo(50));
    assertThat(consumer.isStoring()).isTrue();
    away.set(false);
    eventually(() -> assertThat(consumer.isStoring()).isFalse());
    assertThat(deliveryReceiver.stored()).isNotEmpty();
    assertThat(consumer.stored()).as("acknowledged").isZero();
    assertThat(producer.messageCount(queue)).isEqualTo(50);
  }

  @Test
  void oneDeliveryIsInFlightUntilItIsStoredAndThenMoreAndMore() throws Exception {
    List<Integer> unacknowledged = new CopyOnWriteArrayList<>();
    AtomicReference<InboxConsumer<StockCounted>> consumer = new AtomicReference<>();
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> unacknowledged.add((int) (50 - consumer.get().stored()) - ready()));
    publish(50);
    consumer.set(new InboxConsumer<>(consuming.createChannel(), queue, deliveryReceiver, 1));
    consumer.get().start(40);
    eventually(() -> assertThat(consumer.get().stored()).isEqualTo(50));
    assertThat(unacknowledged.get(0)).isOne();
    assertThat(unacknowledged.subList(1, 5)).allMatch(count -> count <= 4);
    assertThat(unacknowledged.subList(5, 21)).allMatch(count -> count <= 16);
    assertThat(unacknowledged).allMatch(count -> count <= 40);
    assertThat(unacknowledged.subList(21, 50)).anyMatch(count -> count > 16);
    assertThat(deliveryReceiver.stored()).isEqualTo(bodies(50));
  }

  /** The broker deletes such a queue, with all that is in it, as soon as nobody consumes. */
  @Test
  void aQueueThatGoesWithItsLastConsumerStaysWhenMoreMayBeInFlight() throws Exception {
    queue = producer.queueDeclare("", false, false, true, null).getQueue();
    RecordingReceiver deliveryReceiver = new RecordingReceiver(deliveries -> {});
    publish(50);
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(50));
    assertThat(consumer.failure()).isNotDone();
    assertThat(deliveryReceiver.stored()).isEqualTo(bodies(50));
    assertThat(producer.consumerCount(queue)).isOne();
  }

  @Test
  void consumersOfAQuorumQueueThatTakeTurnsKeepTheOrderWhileMoreMayBeInFlight() throws Exception {
    consumeInTurns("quorum");
  }

  @Test
  void consumersOfAClassicQueueThatTakeTurnsKeepTheOrderWhileMoreMayBeInFlight() throws Exception {
    consumeInTurns("classic");
  }

  /** What somebody else has declared may let one consumer after the other have it, or all. */
  @Test
  void consumersThatCouldHaveToTakeTurnsAndNeedNotLoseNothing() throws Exception {
    publish(300);
    RecordingReceiver deliveryReceiver = new RecordingReceiver(deliveries -> {});
    consumeTogether(deliveryReceiver);
    assertThat(deliveryReceiver.stored()).containsExactlyInAnyOrderElementsOf(bodies(300));
  }

  private void consumeInTurns(String type) throws Exception {
    queue = "turns-" + UUID.randomUUID();
    producer.queueDeclare(
        queue, true, false, false, Map.of("x-queue-type", type, "x-single-active-consumer", true));
    publish(300);
    RecordingReceiver deliveryReceiver = new RecordingReceiver(deliveries -> {});
    consumeTogether(deliveryReceiver);
    assertThat(deliveryReceiver.stored()).isEqualTo(bodies(300));
    producer.queueDelete(queue);
  }

  private void consumeTogether(RecordingReceiver deliveryReceiver) throws IOException {
    List<InboxConsumer<StockCounted>> consumers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      InboxConsumer<StockCounted> consumer =
          new InboxConsumer<>(consuming.createChannel(), queue, deliveryReceiver, 20, true);
      consumer.start(100);
      consumers.add(consumer);
    }
    eventually(
        () -> assertThat(consumers.stream().mapToLong(InboxConsumer::stored).sum()).isEqualTo(300));
    assertThat(consumers).allSatisfy(it -> assertThat(it.failure()).isNotDone());
  }

  private int ready() {
    try {
      return (int) producer.messageCount(queue);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aBatchHasNoMoreDeliveriesThanAsked() throws Exception {
    AtomicInteger largest = new AtomicInteger();
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(deliveries -> largest.accumulateAndGet(deliveries.size(), Math::max));
    publish(100);
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(100));
    assertThat(largest.get()).isBetween(1, 20);
    assertThat(deliveryReceiver.stored()).isEqualTo(bodies(100));
  }

  @Test
  void whatComesOneByOneAndFastIsStoredTogether() throws Exception {
    AtomicLong last = new AtomicLong();
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(deliveries -> last.set(System.nanoTime()));
    InboxConsumer<StockCounted> consumer = consumer(deliveryReceiver, 500, 1_000);
    publish(400);
    eventually(() -> assertThat(consumer.stored()).as("as many as may be").isEqualTo(400));
    int calls = deliveryReceiver.calls();
    long begin = System.nanoTime();
    for (String body : bodies(400)) {
      producer.basicPublish("", queue, null, body.getBytes(StandardCharsets.UTF_8));
      LockSupport.parkNanos(200_000);
    }
    eventually(() -> assertThat(consumer.stored()).isEqualTo(800));
    int millis = (int) Duration.ofNanos(last.get() - begin).toMillis();
    assertThat(deliveryReceiver.calls() - calls)
        .as("in %d ms", millis)
        .isLessThanOrEqualTo(millis / 2 + 1);
    assertThat(deliveryReceiver.stored().subList(400, 800)).isEqualTo(bodies(400));
  }

  @Test
  void aDeletedQueueIsAFailure() throws Exception {
    InboxConsumer<StockCounted> consumer = consumer(new RecordingReceiver(deliveries -> {}));
    RabbitServer.shared().deleteQueue(queue);
    assertThat(consumer.failure())
        .succeedsWithin(DEADLINE)
        .asString()
        .contains("the broker cancelled the consumer");
    assertThat(consuming.isOpen()).isTrue();
  }

  private InboxConsumer<StockCounted> consumer(RecordingReceiver deliveryReceiver)
      throws IOException {
    return consumer(deliveryReceiver, 20, 60);
  }

  private InboxConsumer<StockCounted> consumer(
      RecordingReceiver deliveryReceiver, int batch, int prefetch) throws IOException {
    InboxConsumer<StockCounted> consumer =
        new InboxConsumer<>(consuming.createChannel(), queue, deliveryReceiver, batch);
    consumer.start(prefetch);
    return consumer;
  }

  private void publish(int count) throws Exception {
    for (String body : bodies(count)) {
      producer.basicPublish("", queue, null, body.getBytes(StandardCharsets.UTF_8));
    }
    producer.waitForConfirmsOrDie(30_000);
  }

  private static List<String> bodies(int count) {
    return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
  }

  private static void eventually(ThrowingRunnable assertion) {
    await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
  }
}
