package io.inbox4j.examples.demo;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.examples.support.Producer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Publishes the planned orders in the background, some of them twice. */
final class OrderPublisher implements Runnable {

  private static final int CONFIRM_EVERY = 500;

  private final String amqpUri;
  private final OrderPlan plan;
  private final AtomicInteger published = new AtomicInteger();
  private volatile @Nullable Exception failure;

  OrderPublisher(String amqpUri, OrderPlan plan) {
    this.amqpUri = amqpUri;
    this.plan = plan;
  }

  void start() {
    Thread thread = new Thread(this, "publisher");
    thread.setDaemon(true);
    thread.start();
  }

  /** How many messages the broker has confirmed. */
  int published() throws Exception {
    Exception ended = failure;
    if (ended != null) {
      throw new IllegalStateException("publishing failed: " + ended, ended);
    }
    return published.get();
  }

  @Override
  public void run() {
    try (Producer shop = Producer.connect(amqpUri)) {
      List<Integer> again = new ArrayList<>();
      int unconfirmed = 0;
      for (int number = 0; number < plan.orders(); number++) {
        publish(shop, number);
        unconfirmed++;
        if (OrderPlan.isSentTwice(number)) {
          again.add(number);
        }
        if (unconfirmed == CONFIRM_EVERY || number == plan.orders() - 1) {
          for (int second : again) {
            publish(shop, second);
          }
          shop.awaitConfirms();
          published.addAndGet(unconfirmed + again.size());
          again.clear();
          unconfirmed = 0;
        }
      }
    } catch (Exception e) {
      failure = e;
    }
  }

  private static void publish(Producer shop, int number) throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder()
            .messageId(OrderPlan.messageId(number).toString())
            .type("demo.order-placed")
            .contentType("application/json")
            .deliveryMode(2)
            .build();
    byte[] body = OrderPlan.body(number).getBytes(StandardCharsets.UTF_8);
    shop.publish(DemoQueue.NAME, properties, body);
  }
}
