package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.OutgoingMessage.Topic;
import io.inbox4j.transport.SendResult;
import io.inbox4j.transport.Topology;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is published to the topics of events arrives in the queues that receive them. */
@Timeout(60)
class TopicsTest {

  sealed interface Payment extends IntegrationEvent {}

  record Paid(UUID messageId) implements Payment {}

  record Refunded(UUID messageId) implements Payment {}

  @EventType(value = "stock-moved", aliases = "moved")
  record StockMoved(UUID messageId) implements IntegrationEvent {}

  @Test
  void aQueueIsBoundToTheTopicsOfTheEventsThatItReceives() throws Exception {
    Consumer<SubscriptionBuilder> both =
        queue -> queue.on(Created.class, (event, context) -> {}).receive(Cancelled.class);
    try (Service service = Service.subscribing(both).start()) {
      assertReach(service, "created", "cancelled");
      assertNotReached(service, "paid");
    }
  }

  @Test
  void aQueueIsBoundToTheTopicsOfAllMembersOfASealedFamily() throws Exception {
    try (Service service =
        Service.subscribing(queue -> queue.on(Payment.class, (event, context) -> {})).start()) {
      assertReach(service, "paid", "refunded");
    }
  }

  @Test
  void aQueueIsBoundToTheTopicsOfEarlierNamesAndOfOldVersions() throws Exception {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(StockMoved.class, (event, context) -> {})
                        .upcast("stock-moved.v1", StockMoved.class, json -> json))
            .start()) {
      assertReach(service, "stock-moved", "moved", "stock-moved.v1");
    }
  }

  @Test
  void topicsAreNamedAsTheServiceWants() throws Exception {
    try (Service service = subscribing(inbox -> inbox.topics(type -> "shop." + type))) {
      assertThat(publish(service, "shop.created", "created")).isTrue();
      assertThat(publish(service, "created", "created")).isFalse();
    }
  }

  @Test
  void ofATopicThatTypesShareAQueueGetsItsOwn() throws Exception {
    try (Service service = subscribing(inbox -> inbox.topics(type -> "shop"))) {
      assertThat(publish(service, "shop", "created")).isTrue();
      assertThat(publish(service, "shop", "cancelled")).isFalse();
    }
  }

  @Test
  void aQueueThatIsBoundOtherwiseIsNotBoundToTopics() throws Exception {
    try (Service service = subscribing(queue -> queue.bind("orders", "order.*"), inbox -> {})) {
      assertNotReached(service, "created");
      assertThat(publish(service, "orders", "order.created")).isTrue();
    }
  }

  @Test
  void aQueueIsUnboundOnRequest() throws Exception {
    try (Service service = subscribing(SubscriptionBuilder::unbound, inbox -> {})) {
      assertNotReached(service, "created");
    }
  }

  @Test
  void aQueueThatIsOnlyCheckedIsNotBound() throws Exception {
    try (Service service = subscribing(queue -> queue.topology(Topology.existing()), inbox -> {})) {
      assertNotReached(service, "created");
    }
  }

  @Test
  void aQueueIsNotBoundAndUnbound() {
    assertThatThrownBy(() -> subscribing(queue -> queue.unbound().bind("orders", "#"), inbox -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'%s' is unbound and bound to 'orders'", Service.QUEUE);
  }

  private static Service subscribing(Consumer<InboxBuilder> options) {
    return subscribing(queue -> {}, options);
  }

  private static Service subscribing(
      Consumer<SubscriptionBuilder> subscription, Consumer<InboxBuilder> options) {
    Consumer<SubscriptionBuilder> created =
        queue -> queue.on(Created.class, (event, context) -> {});
    Consumer<InboxBuilder> inbox =
        builder -> builder.subscribe(Service.QUEUE, created.andThen(subscription));
    return Service.with(inbox.andThen(options)).start();
  }

  private static void assertReach(Service service, String... types) throws Exception {
    for (String type : types) {
      assertThat(publish(service, type, type)).as(type).isTrue();
    }
  }

  private static void assertNotReached(Service service, String type) throws Exception {
    assertThat(publish(service, type, type)).isFalse();
  }

  /** Returns whether there was a queue for it. */
  private static boolean publish(Service service, String topic, String type) throws Exception {
    OutgoingMessage message =
        new OutgoingMessage(
            UUID.randomUUID(),
            new Topic(topic),
            type,
            "application/json",
            "{\"n\":1}".getBytes(StandardCharsets.UTF_8),
            Map.of(),
            null,
            null,
            null,
            null,
            null);
    try (MessageSender sender = service.transport.openSender()) {
      return sender
          .send(List.of(message))
          .await(Duration.ofSeconds(10))
          .contains(new SendResult.Confirmed());
    }
  }
}
