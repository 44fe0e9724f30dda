package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.rabbitmq.TopologyException;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Topology;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class TopologyTest {

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("topology");

  @Test
  void aQueueIsAQuorumQueueWithDeadLettersAndADeliveryLimitByDefault() {
    try (Inbox inbox = inbox(subscription -> {})) {
      inbox.startReceiving();
      assertThat(show(queue, "type")).isEqualTo("quorum");
      assertThat(show(queue, "arguments"))
          .contains("{\"x-queue-type\",\"quorum\"}")
          .contains("{\"x-dead-letter-exchange\",\"" + queue + ".dead-letter\"}")
          .contains("{\"x-delivery-limit\",20}")
          .contains("{\"x-dead-letter-strategy\",\"at-least-once\"}");
      assertThat(show(queue + ".dead-letter", "type")).isEqualTo("quorum");
      assertThat(show(queue + ".dead-letter", "arguments"))
          .contains("{\"x-delivery-limit\",1000000}");
      assertThat(RabbitServer.shared().ctl("list_bindings", "source_name", "destination_name"))
          .contains(queue + ".dead-letter\t" + queue + ".dead-letter");
    }
  }

  /**
   * Without a limit of its own it would have one of 20 from RabbitMQ 4 on, and drop the message.
   */
  @Test
  void aDeadLetterStaysHoweverOftenItIsTakenAndNotAcknowledged() throws Exception {
    String deadLetters = queue + ".dead-letter";
    try (Inbox inbox = inbox(subscription -> {})) {
      inbox.startReceiving();
    }
    try (Publisher publisher = new Publisher(Inboxes.amqp(), deadLetters)) {
      publisher.order("o");
      for (int i = 0; i < 22; i++) {
        Channel channel = publisher.channel().getConnection().createChannel();
        eventually(() -> assertThat(channel.basicGet(deadLetters, false)).isNotNull());
        channel.close();
      }
      eventually(() -> assertThat(publisher.ready()).isOne());
    }
  }

  @Test
  void aDeadLetterQueueThatIsThereWithAnotherLimitOrWithNoneIsTakenAsItIs() throws Exception {
    String deadLetters = queue + ".dead-letter";
    List<Map<String, Object>> declared =
        List.of(
            Map.of("x-queue-type", "quorum"),
            Map.of("x-queue-type", "quorum", "x-delivery-limit", 500));
    for (Map<String, Object> arguments : declared) {
      try (Inbox inbox = inbox(subscription -> {});
          Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
        publisher.channel().queueDelete(deadLetters);
        publisher.channel().queueDeclare(deadLetters, true, false, false, arguments);
        inbox.start();
        publisher.order("with " + arguments.size());
        eventually(() -> assertThat(database.effectsOf("with " + arguments.size())).isOne());
      }
    }
  }

  @Test
  void aQueueIsClassicOnRequest() throws Exception {
    try (Inbox inbox = inbox(subscription -> subscription.topology(Topology.classic()));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      assertThat(show(queue, "type")).isEqualTo("classic");
      assertThat(show(queue, "arguments"))
          .contains("{\"x-dead-letter-exchange\",\"" + queue + ".dead-letter\"}")
          .doesNotContain("x-delivery-limit");
      publisher.order("o");
      eventually(() -> assertThat(database.effectsOf("o")).isOne());
    }
  }

  @Test
  void anExistingQueueIsTakenAsItIs() throws Exception {
    try (Inbox inbox = inbox(subscription -> subscription.topology(Topology.existing()));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.channel().queueDeclare(queue, true, false, false, Map.of("x-max-length", 1_000));
      inbox.start();
      publisher.order("o");
      eventually(() -> assertThat(database.effectsOf("o")).isOne());
    }
  }

  @Test
  void anExistingQueueThatIsMissingIsSaidAtTheStart() {
    try (Inbox inbox = inbox(subscription -> subscription.topology(Topology.existing()))) {
      assertThatThrownBy(inbox::start)
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining("the queue '%s' does not exist", queue)
          .hasMessageContaining("Topology.quorum()");
    }
  }

  @Test
  void aQueueThatIsThereWithAnotherArgumentIsSaidAtTheStart() throws Exception {
    try (Inbox inbox = inbox(subscription -> subscription.topology(Topology.classic()));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      Map<String, Object> other = Map.of("x-dead-letter-exchange", "elsewhere");
      publisher.channel().queueDeclare(queue, true, false, false, other);
      assertThatThrownBy(inbox::start)
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining("'%s' exists with another 'x-dead-letter-exchange'", queue)
          .hasMessageContaining("elsewhere")
          .hasMessageContaining("asks for")
          .hasMessageContaining("Topology.existing()");
    }
  }

  @Test
  void aQueueThatIsThereWithoutArgumentsIsSaidAtTheStart() throws Exception {
    try (Inbox inbox = inbox(subscription -> {});
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.channel().queueDeclare(queue, true, false, false, Map.of());
      assertThatThrownBy(inbox::start)
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining("'%s' exists with another 'x-", queue)
          .hasMessageContaining("it has none");
    }
  }

  @Test
  void aDeadLetterQueueThatIsThereWithAnotherArgumentIsTheOneThatIsNamed() throws Exception {
    try (Inbox inbox = inbox(subscription -> {});
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher
          .channel()
          .queueDeclare(
              queue + ".dead-letter", true, false, false, Map.of("x-queue-type", "classic"));
      assertThatThrownBy(inbox::start)
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining(
              "the queue '%s.dead-letter' exists with another 'x-queue-type'", queue)
          .hasMessageContaining("deadLetterExchange(…)")
          .hasMessageNotContaining("the queue '" + queue + "' exists");
    }
  }

  @Test
  void aDeadLetterExchangeOfAnotherTypeIsTheOneThatIsNamed() throws Exception {
    try (Inbox inbox = inbox(subscription -> {});
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.channel().exchangeDeclare(queue + ".dead-letter", "direct", true);
      assertThatThrownBy(inbox::start)
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining("the exchange '%s.dead-letter' exists with another 'type'", queue);
    }
  }

  @Test
  void aRefusedQueueLeavesNoConsumerOfTheOthersAndTheStartCanBeTriedAgain() throws Exception {
    String missing = queue + "-missing";
    try (Inbox inbox =
            Inboxes.on(database)
                .subscribe(queue, OrderPlaced.class, Effects::placed)
                .subscribe(
                    missing,
                    subscription ->
                        subscription
                            .on(OrderPlaced.class, Effects::placed)
                            .topology(Topology.existing()))
                .build();
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      assertThatThrownBy(inbox::start).isInstanceOf(TopologyException.class);
      eventually(() -> assertThat(threadsOf(queue)).isEmpty());
      eventually(() -> assertThat(consumers(queue)).isZero());
      publisher.order("o");
      publisher.channel().queueDeclare(missing, true, false, false, Map.of());
      inbox.start();
      eventually(() -> assertThat(database.effectsOf("o")).isOne());
    }
  }

  /** The threads of the inbox that are named by the queue, or by one that begins like it. */
  private static List<String> threadsOf(String queue) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains("-" + queue))
        .toList();
  }

  @Test
  void aQueueIsBoundToTheTopicsOfItsEvents() throws Exception {
    try (Inbox inbox =
        inbox(subscription -> subscription.on(OrderCancelled.class, Effects::cancelled))) {
      inbox.startReceiving();
      assertThat(bindings())
          .contains("orders.order-placed\t" + queue + "\t#")
          .contains("orders.order-cancelled\t" + queue + "\t#");
    }
  }

  @Test
  void whatIsPublishedToTheTopicOfAnEventArrives() throws Exception {
    String topic = queue + ".orders.order-placed";
    try (Inbox inbox =
            Inboxes.on(database)
                .topics(type -> queue + "." + type)
                .subscribe(queue, OrderPlaced.class, Effects::placed)
                .build();
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      publisher.order(topic, "orders.order-placed", "published");
      eventually(() -> assertThat(database.orders()).containsExactly("published"));
    }
  }

  @Test
  void anUnboundQueueIsBoundToNothing() {
    try (Inbox inbox = inbox(SubscriptionBuilder::unbound)) {
      inbox.startReceiving();
      assertThat(bindings()).noneMatch(it -> it.contains("\t" + queue + "\t#"));
    }
  }

  private static List<String> bindings() {
    return RabbitServer.shared()
        .ctl("list_bindings", "source_name", "destination_name", "routing_key")
        .lines()
        .toList();
  }

  @Test
  void anExistingFanoutExchangeIsBoundTo() throws Exception {
    String exchange = queue + ".events";
    try (Inbox inbox = inbox(subscription -> subscription.bind(exchange, ""));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.channel().exchangeDeclare(exchange, BuiltinExchangeType.FANOUT, false);
      inbox.start();
      publisher.order(exchange, "whatever", "o");
      eventually(() -> assertThat(database.orders()).containsExactly("o"));
    }
  }

  @Test
  void aMissingExchangeIsDeclaredAsATopicExchangeAndBoundTo() throws Exception {
    String exchange = queue + ".events";
    try (Inbox inbox = inbox(subscription -> subscription.bind(exchange, "order.*", "eu.#"));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      publisher.order(exchange, "order.placed", "matched");
      publisher.order(exchange, "stock.counted", "not meant");
      publisher.order(exchange, "eu.de.order", "matched too");
      eventually(() -> assertThat(database.orders()).containsExactly("matched", "matched too"));
    }
  }

  @Test
  void severalEventTypesShareAQueue() throws Exception {
    try (Inbox inbox =
            inbox(subscription -> subscription.on(OrderCancelled.class, Effects::cancelled));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      publisher.order("placed");
      publisher.cancellation("cancelled");
      eventually(() -> assertThat(database.orders()).containsExactly("cancelled", "placed"));
    }
    assertThat(database.texts("SELECT type FROM inbox ORDER BY 1"))
        .containsExactly("orders.order-cancelled", "orders.order-placed");
  }

  private Inbox inbox(Consumer<SubscriptionBuilder> options) {
    Consumer<SubscriptionBuilder> orders =
        subscription -> subscription.on(OrderPlaced.class, Effects::placed);
    return Inboxes.on(database).subscribe(queue, orders.andThen(options)).build();
  }

  private static long consumers(String queue) {
    return Queues.count(RabbitServer.shared(), queue, "consumers");
  }

  private static String show(String queue, String column) {
    return Queues.show(RabbitServer.shared(), queue, column);
  }
}
