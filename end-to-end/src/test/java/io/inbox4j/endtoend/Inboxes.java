package io.inbox4j.endtoend;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.testkit.RabbitServer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The inboxes that the tests build again and again. */
final class Inboxes {

  private static final AtomicInteger QUEUES = new AtomicInteger();

  private Inboxes() {}

  /** The address of the broker that all tests share. */
  static String amqp() {
    return RabbitServer.shared().uri();
  }

  /** The name of a queue that no other test uses. */
  static String newQueue(String purpose) {
    return purpose + "-" + QUEUES.incrementAndGet();
  }

  /** A builder on the database and the shared broker. */
  static InboxBuilder on(Database database) {
    return on(database, amqp());
  }

  /** A builder on the database and a broker. */
  static InboxBuilder on(Database database, String amqp) {
    return Inbox.builder()
        .store(JdbiInboxStore.connect(database.url()))
        .transport(RabbitTransport.connect(amqp));
  }

  /** An inbox that records every order of the queue. */
  static Inbox recording(Database database, String queue) {
    return on(database).subscribe(queue, OrderPlaced.class, Effects::placed).build();
  }

  /** Declares a queue as an inbox would, so that it can be filled before anybody receives. */
  static void declare(Database database, String queue) {
    declare(database, amqp(), queue, subscription -> {});
  }

  static void declare(
      Database database, String amqp, String queue, Consumer<SubscriptionBuilder> options) {
    Consumer<SubscriptionBuilder> orders = subscription -> subscription.receive(OrderPlaced.class);
    try (Inbox inbox = on(database, amqp).subscribe(queue, orders.andThen(options)).build()) {
      inbox.startReceiving();
    }
  }
}
