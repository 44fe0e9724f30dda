package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
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
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              storing.countDown();
              cancelled.await();
            });
    InboxConsumer<StockCounted> consumer =
        new InboxConsumer<>(channel(), "stock", deliveryReceiver, 10);
    consumer.start(100);
    deliver(consumer, 1);
    storing.await();
    consumer.handleCancel("tag");
    deliver(consumer, 2); // the broker sends more, for an acknowledgement that was on its way
    cancelled.countDown();
    while (consumer.isStoring()) {
      consumer.awaitEnd(Duration.ofSeconds(1));
    }
    assertThat(deliveryReceiver.calls()).isOne();
    assertThat(called).doesNotContain("basicAck").contains("setDefaultConsumer");
    assertThat(consumer.failure().get()).isInstanceOf(ConsumerCancelledException.class);
  }

  @Test
  void theReasonIsFoundOutByWhatIsThere() {
    ConsumerCancelledException overdue = new ConsumerCancelledException(Duration.ofMinutes(30));
    assertThat(overdue.queueIsThere())
        .hasMessageContaining("not acknowledged for 1800.0 s")
        .hasMessageContaining("consumer_timeout")
        .hasMessageContaining("may have moved");
    assertThat(new ConsumerCancelledException(Duration.ZERO).queueIsThere())
        .hasMessageContaining("of a queue that is there: it may have moved")
        .hasMessageNotContaining("consumer_timeout");
  }

  @Test
  void aQueueIsSaidToBeGoneOnlyIfTheBrokerKnowsIt() {
    ConsumerCancelledException cancelled = new ConsumerCancelledException(Duration.ZERO);
    assertThat(cancelled.queueIsRefused(refusal(404, "NOT_FOUND - no queue 'stock' in vhost '/'")))
        .hasMessageContaining("its queue is gone: NOT_FOUND");
    assertThat(
            cancelled.queueIsRefused(
                refusal(
                    404,
                    "NOT_FOUND - home node 'rabbit@b' of durable queue 'stock' in vhost '/' is down"
                        + " or inaccessible")))
        .hasMessageContaining("its queue cannot be reached: NOT_FOUND - home node");
    assertThat(cancelled.queueIsRefused(refusal(405, "RESOURCE_LOCKED - cannot obtain access")))
        .hasMessageContaining("its queue cannot be reached: RESOURCE_LOCKED");
  }

  private static AMQP.Channel.Close refusal(int code, String text) {
    return new AMQP.Channel.Close.Builder().replyCode(code).replyText(text).build();
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
