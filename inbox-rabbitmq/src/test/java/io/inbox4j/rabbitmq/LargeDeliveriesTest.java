package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Envelope;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.Delivery;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What is stored in one transaction has a bound in bytes: a database accepts no more than 1 GiB.
 */
@Timeout(60)
class LargeDeliveriesTest {

  private static final int MEBIBYTE = 1 << 20;

  private final List<Integer> batches = new CopyOnWriteArrayList<>();
  private InboxConsumer<StockCounted> consumer;

  @AfterEach
  void close() {
    consumer.close(Duration.ZERO);
  }

  @Test
  void aBatchHasNoMoreThan16MebibytesHoweverManyDeliveriesItMayHave() throws Exception {
    consumer = consumer(new RecordingReceiver(this::note));
    deliver(1, 50, MEBIBYTE);
    consumer.start(1);
    await().untilAsserted(() -> assertThat(consumer.stored()).isEqualTo(50));
    assertThat(batches).containsExactly(16, 16, 16, 2);
  }

  @Test
  void aLargerDeliveryGoesAlone() throws Exception {
    consumer = consumer(new RecordingReceiver(this::note));
    deliver(1, 1, MEBIBYTE);
    deliver(2, 2, 17 * MEBIBYTE);
    deliver(4, 1, MEBIBYTE);
    consumer.start(1);
    await().untilAsserted(() -> assertThat(consumer.stored()).isEqualTo(4));
    assertThat(batches).containsExactly(1, 17, 17, 1);
  }

  @Test
  void noMoreThanThatJoinABatchThatWaitsForTheStore() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch first = new CountDownLatch(1);
    consumer =
        consumer(
            new RecordingReceiver(
                deliveries -> {
                  if (calls.getAndIncrement() == 0) {
                    first.await();
                    throw new StoreUnavailableException("away", new IOException("refused"));
                  }
                  note(deliveries);
                }));
    consumer.start(1);
    deliver(1, 1, MEBIBYTE);
    await().until(() -> calls.get() == 1);
    deliver(2, 19, MEBIBYTE);
    first.countDown();
    await().untilAsserted(() -> assertThat(consumer.stored()).isEqualTo(20));
    assertThat(batches).containsExactly(16, 4);
  }

  private void note(List<Delivery> deliveries) {
    batches.add(deliveries.stream().mapToInt(it -> it.body().length).sum() / MEBIBYTE);
  }

  private void deliver(long tag, int count, int size) {
    for (long i = tag; i < tag + count; i++) {
      consumer.handleDelivery(
          "tag", new Envelope(i, false, "", "stock"), new BasicProperties(), new byte[size]);
    }
  }

  private static InboxConsumer<StockCounted> consumer(RecordingReceiver deliveryReceiver) {
    Channel channel =
        (Channel)
            Proxy.newProxyInstance(
                Channel.class.getClassLoader(),
                new Class<?>[] {Channel.class},
                (self, method, arguments) -> method.getReturnType() == boolean.class ? true : null);
    return new InboxConsumer<>(channel, "stock", deliveryReceiver, 512);
  }
}
