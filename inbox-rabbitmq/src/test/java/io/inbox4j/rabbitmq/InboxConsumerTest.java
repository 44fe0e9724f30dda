package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.testkit.RabbitServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
    RecordingIntake intake = new RecordingIntake(deliveries -> {});
    InboxConsumer<StockCounted> consumer = consumer(intake);
    publish(50);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(50));
    consumer.close(DEADLINE);
    consuming.close();
    assertThat(producer.messageCount(queue)).isZero();
    assertThat(intake.stored()).isEqualTo(bodies(50));
  }

  @Test
  void nothingIsAcknowledgedBeforeTheIntakeHasReturned() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    RecordingIntake intake = new RecordingIntake(deliveries -> never.await());
    InboxConsumer<StockCounted> consumer = consumer(intake);
    publish(50);
    eventually(() -> assertThat(intake.calls()).isOne());
    assertThat(consumer.stored()).isZero();
    consuming.close();
    eventually(() -> assertThat(producer.messageCount(queue)).isEqualTo(50));
    never.countDown();
    assertThat(consumer.failure()).succeedsWithin(DEADLINE);
  }

  @Test
  void deliveriesThatCouldNotBeStoredAreOfferedAgainAndThenAcknowledged() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    RecordingIntake intake =
        new RecordingIntake(
            deliveries -> {
              if (failures.getAndIncrement() < 3) {
                throw new StoreUnavailableException("away", new IOException("refused"));
              }
            });
    InboxConsumer<StockCounted> consumer = consumer(intake);
    publish(50);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(50));
    assertThat(intake.calls()).isGreaterThan(3);
    assertThat(intake.stored()).isEqualTo(bodies(50));
    assertThat(consumer.failure()).isNotDone();
    consumer.close(DEADLINE);
    consuming.close();
    assertThat(producer.messageCount(queue)).isZero();
  }

  @Test
  void closingWhileTheStoreIsAwayLeavesDeliveriesToTheBroker() throws Exception {
    RecordingIntake intake =
        new RecordingIntake(
            deliveries -> {
              throw new StoreUnavailableException("away", new IOException("refused"));
            });
    InboxConsumer<StockCounted> consumer = consumer(intake);
    publish(50);
    eventually(() -> assertThat(intake.calls()).isGreaterThan(1));
    consumer.close(DEADLINE);
    consuming.close();
    eventually(() -> assertThat(producer.messageCount(queue)).isEqualTo(50));
    assertThat(intake.stored()).isEmpty();
  }

  @Test
  void anIntakeThatFailsOtherwiseStopsTheConsumerAndSaysWhy() throws Exception {
    IllegalStateException defect = new IllegalStateException("a defect");
    RecordingIntake intake =
        new RecordingIntake(
            deliveries -> {
              throw defect;
            });
    InboxConsumer<StockCounted> consumer = consumer(intake);
    publish(1);
    assertThat(consumer.failure()).succeedsWithin(DEADLINE).isSameAs(defect);
    consuming.close();
    eventually(() -> assertThat(producer.messageCount(queue)).isOne());
  }

  @Test
  void aBatchHasNoMoreDeliveriesThanAsked() throws Exception {
    AtomicInteger largest = new AtomicInteger();
    RecordingIntake intake =
        new RecordingIntake(deliveries -> largest.accumulateAndGet(deliveries.size(), Math::max));
    publish(100);
    InboxConsumer<StockCounted> consumer = consumer(intake);
    eventually(() -> assertThat(consumer.stored()).isEqualTo(100));
    assertThat(largest.get()).isBetween(1, 20);
    assertThat(intake.stored()).isEqualTo(bodies(100));
  }

  @Test
  void whatComesOneByOneAndFastIsStoredTogether() throws Exception {
    AtomicLong last = new AtomicLong();
    RecordingIntake intake = new RecordingIntake(deliveries -> last.set(System.nanoTime()));
    InboxConsumer<StockCounted> consumer = consumer(intake, 500, 1_000);
    long begin = System.nanoTime();
    for (String body : bodies(400)) {
      producer.basicPublish("", queue, null, body.getBytes(StandardCharsets.UTF_8));
      LockSupport.parkNanos(200_000);
    }
    eventually(() -> assertThat(consumer.stored()).isEqualTo(400));
    int millis = (int) Duration.ofNanos(last.get() - begin).toMillis();
    assertThat(intake.calls()).as("in %d ms", millis).isLessThanOrEqualTo(millis / 2 + 1);
    assertThat(intake.stored()).isEqualTo(bodies(400));
  }

  @Test
  void aDeletedQueueIsAFailure() throws Exception {
    InboxConsumer<StockCounted> consumer = consumer(new RecordingIntake(deliveries -> {}));
    RabbitServer.shared().deleteQueue(queue);
    assertThat(consumer.failure())
        .succeedsWithin(DEADLINE)
        .asString()
        .contains("the queue was deleted");
    assertThat(consuming.isOpen()).isTrue();
  }

  private InboxConsumer<StockCounted> consumer(RecordingIntake intake) throws IOException {
    return consumer(intake, 20, 60);
  }

  private InboxConsumer<StockCounted> consumer(RecordingIntake intake, int batch, int prefetch)
      throws IOException {
    InboxConsumer<StockCounted> consumer =
        new InboxConsumer<>(consuming.createChannel(), queue, intake, batch);
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
