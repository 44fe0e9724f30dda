package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.memory.InMemoryMessage;
import io.inbox4j.transport.Delivery;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events that were renamed, changed their shape, or belong together. */
@Timeout(60)
class EvolvingTypesTest {

  @EventType(value = "orders.placed", aliases = "orders.created")
  record Placed(UUID messageId, long cents) implements IntegrationEvent {}

  sealed interface AccountEvent extends IntegrationEvent {}

  record Opened(UUID messageId) implements AccountEvent {}

  record Closed(UUID messageId) implements AccountEvent {}

  interface Open extends IntegrationEvent {}

  private final Queue<String> handled = new ConcurrentLinkedQueue<>();

  @Test
  void aMessageUnderAnOldNameIsTheSameEventAndIsStoredAsItCame() {
    try (Service service =
        Service.subscribing(
                queue -> queue.on(Placed.class, (event, context) -> note(event, context.type())))
            .start()) {
      deliver(service, "orders.created", "{\"cents\":7}");
      service.awaitAll("processed", 1);
      assertThat(handled).containsExactly("Placed orders.created");
      assertThat(service.store.messages())
          .extracting(InMemoryMessage::type)
          .containsExactly("orders.created");
    }
  }

  @Test
  void anUpcasterTurnsTheOldShapeIntoTheNew() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(Placed.class, (event, context) -> handled.add("cents " + event.cents()))
                        .upcast(
                            "orders.placed.v1",
                            Placed.class,
                            json -> json.put("cents", json.remove("euros").asLong() * 100)))
            .start()) {
      deliver(service, "orders.placed.v1", "{\"euros\":3}");
      service.awaitAll("processed", 1);
      assertThat(handled).containsExactly("cents 300");
    }
  }

  @Test
  void anUpcasterThatFailsLeavesADeadMessageThatSaysSo() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(Placed.class, (event, context) -> {})
                        .upcast(
                            "orders.placed.v1",
                            Placed.class,
                            json -> {
                              throw new IllegalStateException("no euros");
                            }))
            .start()) {
      deliver(service, "orders.placed.v1", "{}");
      service.awaitAll("dead", 1);
      assertThat(service.errors().get(0)).contains("the upcaster to").contains("Placed");
    }
  }

  @Test
  void aSealedFamilyHasOneHandlerForAllItsMembers() {
    try (Service service =
        Service.subscribing(
                queue -> queue.on(AccountEvent.class, (event, c) -> note(event, c.type())))
            .start()) {
      deliver(service, "opened", "{}");
      deliver(service, "closed", "{}");
      service.awaitAll("processed", 2);
      assertThat(handled).containsExactlyInAnyOrder("Opened opened", "Closed closed");
    }
  }

  @Test
  void aFamilyThatIsNotSealedIsRefused() {
    assertThatThrownBy(() -> Service.subscribing(queue -> queue.on(Open.class, (e, c) -> {})))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Open is abstract and not sealed");
  }

  @Test
  void anUpcasterToAnEventThatIsNotSubscribedIsRefused() {
    assertThatThrownBy(
            () ->
                Service.subscribing(
                    queue ->
                        queue
                            .on(Opened.class, (e, c) -> {})
                            .upcast("old", Placed.class, json -> json)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Placed has an upcaster but is not an event of")
        .hasMessageContaining("opened (Opened)");
  }

  @Test
  void unknownFieldsAreAnErrorOnRequest() {
    try (Service service =
        Service.with(
                inbox ->
                    inbox
                        .json(JsonFormat.strictMapper())
                        .subscribe(Service.QUEUE, Opened.class, (event, context) -> {}))
            .start()) {
      deliver(service, "opened", "{\"more\":1}");
      service.awaitAll("dead", 1);
    }
  }

  private void note(IntegrationEvent event, String type) {
    handled.add(event.getClass().getSimpleName() + " " + type);
  }

  private static void deliver(Service service, String type, String body) {
    Delivery delivery = Messages.delivery(type, type, "c", "s", body);
    service.transport.deliver(Service.QUEUE, List.of(delivery));
  }
}
