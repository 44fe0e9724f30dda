package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Envelope;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A broker that cancels a consumer keeps its channel open, from RabbitMQ 4 on. */
@Timeout(30)
class CancelledConsumerTest {

  private final List<String> called = new CopyOnWriteArrayList<>();

  @Test
  void whatIsStoredAfterItWasCancelledIsNotAcknowledged() throws Exception {
    CountDownLatch storing = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    RecordingIntake intake =
        new RecordingIntake(
            deliveries -> {
              storing.countDown();
              cancelled.await();
            });
    InboxConsumer<StockCounted> consumer = new InboxConsumer<>(channel(), "stock", intake, 10);
    consumer.start(100);
    deliver(consumer, 1);
    storing.await();
    consumer.handleCancel("tag");
    deliver(consumer, 2); // the broker sends more, for an acknowledgement that was on its way
    cancelled.countDown();
    while (consumer.isStoring()) {
      consumer.awaitEnd(Duration.ofSeconds(1));
    }
    assertThat(intake.calls()).isOne();
    assertThat(called).doesNotContain("basicAck").contains("setDefaultConsumer");
    assertThat(consumer.failure().get()).isInstanceOf(ConsumerCancelledException.class);
  }

  @Test
  void theReasonIsFoundOutByWhatIsThere() {
    ConsumerCancelledException overdue = new ConsumerCancelledException(Duration.ofMinutes(30));
    assertThat(overdue.explained(null)).hasMessageContaining("1800.0 s, longer than the broker's");
    assertThat(overdue.explained("NOT_FOUND - no queue"))
        .hasMessageContaining("its queue is gone: NOT_FOUND");
    assertThat(new ConsumerCancelledException(Duration.ZERO).explained(null))
        .hasMessageContaining("of a queue that is there: it has moved");
  }

  private static void deliver(InboxConsumer<StockCounted> consumer, long tag) {
    consumer.handleDelivery(
        "tag", new Envelope(tag, false, "", "stock"), new BasicProperties(), new byte[1]);
  }

  private Channel channel() {
    return (Channel)
        Proxy.newProxyInstance(
            Channel.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (self, method, arguments) -> {
              called.add(method.getName());
              return method.getReturnType() == boolean.class ? true : null;
            });
  }
}
