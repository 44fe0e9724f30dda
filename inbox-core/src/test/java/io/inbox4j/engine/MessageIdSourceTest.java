package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.MessageIds;
import io.inbox4j.memory.InMemoryMessage;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.MessageIdSource;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where a subscription finds the id under which a message is stored. */
@Timeout(60)
class MessageIdSourceTest {

  private static final Delivery BOTH =
      Messages.delivery("property", "created", "c", "s", "{\"messageId\":\"body\",\"n\":1}");

  @Test
  void theIdIsThatOfTheProperty() {
    assertThat(storedUnder(queue -> queue.messageIdFrom(MessageIdSource.PROPERTY)))
        .containsExactly(MessageIds.parse("property"));
  }

  @Test
  void theIdIsThatInTheBody() {
    assertThat(storedUnder(queue -> queue.messageIdFrom(MessageIdSource.BODY)))
        .containsExactly(MessageIds.parse("body"));
  }

  @Test
  void theIdIsMadeOfTheContent() {
    assertThat(storedUnder(queue -> queue.messageIdFrom(MessageIdSource.CONTENT)))
        .containsExactly(MessageIds.ofContent(BOTH.body()));
  }

  @Test
  void unlessToldOtherwiseTheIdsHaveToAgree() {
    assertThat(storedUnder(queue -> {})).isEmpty();
    assertThat(storedUnder(queue -> queue.messageIdFrom(MessageIdSource.ANY))).isEmpty();
  }

  private static List<UUID> storedUnder(Consumer<SubscriptionBuilder> option) {
    try (Service service =
        Service.subscribing(
            queue -> {
              queue.receive(Created.class);
              option.accept(queue);
            })) {
      service.inbox.startReceiving();
      service.transport.deliver(Service.QUEUE, List.of(BOTH));
      return service.store.messages().stream().map(InMemoryMessage::messageId).toList();
    }
  }
}
