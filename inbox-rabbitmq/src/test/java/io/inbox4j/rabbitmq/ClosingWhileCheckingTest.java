package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Envelope;
import io.inbox4j.format.EventTypes;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.ValidatedDelivery;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A delivery is in flight as soon as the channel has handed it over. */
@Timeout(30)
class ClosingWhileCheckingTest {

  private final CountDownLatch checking = new CountDownLatch(1);
  private final List<Long> acknowledged = new CopyOnWriteArrayList<>();

  @Test
  void whatIsBeingCheckedIsStoredAndAcknowledgedBeforeTheDeadline() throws Exception {
    InboxConsumer<StockCounted> consumer =
        new InboxConsumer<>(channel(), "stock", new SlowChecks(), 20);
    consumer.start(100);
    Thread channelThread =
        new Thread(
            () ->
                consumer.handleDelivery(
                    "tag",
                    new Envelope(1, false, "", "stock"),
                    new BasicProperties(),
                    new byte[1]));
    channelThread.start();
    checking.await();
    consumer.close(Duration.ofSeconds(10));
    channelThread.join();
    assertThat(acknowledged).containsExactly(1L);
  }

  private Channel channel() {
    return (Channel)
        Proxy.newProxyInstance(
            Channel.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (self, method, arguments) -> {
              if (method.getName().equals("basicAck")) {
                acknowledged.add((Long) arguments[0]);
              }
              return method.getReturnType() == boolean.class ? true : null;
            });
  }

  private final class SlowChecks implements DeliveryReceiver<StockCounted> {

    @Override
    public EventTypes<StockCounted> types() {
      return EventTypes.of(List.of(StockCounted.class));
    }

    @Override
    public ValidatedDelivery check(Delivery delivery) {
      checking.countDown();
      try {
        Thread.sleep(500); // a large body, or one whose event is read for its ordering key
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return new ValidatedDelivery.Rejected(
          delivery, null, QuarantineReason.UNREADABLE, "not looked at");
    }

    @Override
    public void store(List<ValidatedDelivery> batch) {}
  }
}
