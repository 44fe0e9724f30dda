package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.error.InboxException;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services of different versions on the same queue. */
@Timeout(60)
class TypesTest {

  private static final Delivery CREATED = Messages.delivery("a", "created", "c", "s", "{\"n\":1}");
  private static final Delivery CANCELLED =
      Messages.delivery("b", "cancelled", "c", "s", "{\"n\":2}");

  @Test
  void aTypeThatAProcessHasNoHandlerForIsLeftAloneForOneThatHas() {
    try (Service old =
        Service.subscribing(
            queue -> queue.on(Created.class, Service::effect).receive(Cancelled.class))) {
      old.start().transport.deliver(Service.QUEUE, List.of(CANCELLED, CREATED));
      old.awaitAll("processed", 1);
      assertThat(old.statuses()).containsExactly("pending 0", "processed 1");
      try (Service young =
          Service.with(
              old.store,
              inbox -> inbox.subscribe(Service.QUEUE, Cancelled.class, (event, context) -> {}))) {
        young.inbox.startProcessing();
        young.awaitAll("processed", 2);
      }
    }
  }

  @Test
  void whatWasQuarantinedAsUnknownComesBackByItselfWhenAProcessKnowsIt() {
    try (Service old = Service.subscribing(queue -> queue.on(Created.class, Service::effect))) {
      old.start().transport.deliver(Service.QUEUE, List.of(CANCELLED, CREATED));
      old.awaitAll("processed", 1);
      assertThat(old.heard.of("quarantined")).containsExactly("quarantined unknown-type");
      assertThat(old.inbox.quarantine().list(MessageFilter.all(), 10)).hasSize(1);
      assertThat(old.inbox.quarantine().replay(MessageFilter.all())).isZero();
      try (Service young =
          Service.with(
              old.store,
              inbox ->
                  inbox.subscribe(
                      Service.QUEUE,
                      queue ->
                          queue
                              .on(Created.class, Service::effect)
                              .on(Cancelled.class, (event, context) -> {})))) {
        young.start();
        young.awaitAll("processed", 2);
        assertThat(young.heard.of("replayed")).hasSize(1);
        assertThat(young.inbox.quarantine().list(MessageFilter.all(), 10)).isEmpty();
      }
    }
  }

  @Test
  void inARollingDeployWhatAnOldProcessDoesNotKnowIsHandledByANewOneThatIsRunning() {
    try (Service old = Service.subscribing(queue -> queue.on(Created.class, Service::effect));
        Service young = knowingBoth(old.store)) {
      young.start();
      old.start().transport.deliver(Service.QUEUE, List.of(CANCELLED, CREATED));
      young.awaitAll("processed", 2);
      Delivery later = Messages.delivery("c", "cancelled", "c", "s", "{\"n\":3}");
      old.transport.deliver(Service.QUEUE, List.of(later));
      young.awaitAll("processed", 3);
      assertThat(young.heard.of("replayed")).hasSize(2);
      assertThat(young.inbox.quarantine().list(MessageFilter.all(), 10)).isEmpty();
      assertThat(young.inbox.quarantine().history(MessageFilter.all(), 10))
          .extracting(Intervention::by)
          .containsOnly("inbox");
    }
  }

  @Test
  void whatNobodyKnowsStaysInQuarantineForThatReason() {
    Delivery lost = Messages.delivery("c", "lost", "c", "s", "{}");
    try (Service old = Service.subscribing(queue -> queue.on(Created.class, Service::effect));
        Service young = knowingBoth(old.store)) {
      young.start();
      old.start().transport.deliver(Service.QUEUE, List.of(lost, CANCELLED));
      young.awaitAll("processed", 1);
      assertThat(young.inbox.quarantine().entries(MessageFilter.all(), 10))
          .singleElement()
          .satisfies(
              entry -> {
                assertThat(entry.reason()).isEqualTo(QuarantineReason.UNKNOWN_TYPE);
                assertThat(entry.type()).isEqualTo("lost");
                assertThat(entry.messageId()).isEqualTo("c");
                assertThat(entry.bodySize()).isEqualTo(2);
              });
    }
  }

  @Test
  void whatIsTakenInKeepsItsPlaceAmongTheMessagesOfItsKey() {
    try (Service old = ordered(InMemoryInboxStore.create(), queue -> queue.receive(Created.class));
        Service young =
            ordered(
                old.store,
                queue ->
                    queue
                        .on(Created.class, Service::effect)
                        .on(
                            Cancelled.class,
                            (event, context) ->
                                Service.effect(context, "cancelled " + event.n())))) {
      young.inbox.open();
      young.inbox.control(Service.QUEUE).pause("test", "until all is there");
      young.inbox.startProcessing();
      old.inbox.startReceiving();
      old.transport.deliver(Service.QUEUE, List.of(keyed("a", "created", 1)));
      old.transport.deliver(
          Service.QUEUE,
          List.of(keyed("b", "created", 2), keyed("c", "cancelled", 3), keyed("d", "created", 4)));
      old.transport.deliver(Service.QUEUE, List.of(keyed("e", "cancelled", 5)));
      old.transport.deliver(Service.QUEUE, List.of(keyed("f", "created", 6)));
      young.awaitAll("pending", 6);
      young.inbox.control(Service.QUEUE).resume();
      young.awaitAll("processed", 6);
      assertThat(old.store.effects())
          .containsExactly("1", "2", "cancelled 3", "4", "cancelled 5", "6");
    }
  }

  @Test
  void whatIsKnownAndNoEventNeverthelessIsInQuarantineForWhatIsFound() {
    Delivery large = Messages.delivery("c", "cancelled", "c", "s", "{\"n\":12345678}");
    try (Service old = Service.subscribing(queue -> queue.on(Created.class, Service::effect));
        Service young =
            Service.with(
                old.store,
                inbox ->
                    inbox.subscribe(
                        Service.QUEUE,
                        queue ->
                            queue.on(Cancelled.class, (event, context) -> {}).maxBodySize(10)))) {
      young.start();
      old.start().transport.deliver(Service.QUEUE, List.of(large, CANCELLED));
      young.awaitAll("processed", 1);
      await()
          .untilAsserted(
              () ->
                  assertThat(young.inbox.quarantine().entries(MessageFilter.all(), 10))
                      .extracting(QuarantineEntry::reason)
                      .containsExactly(QuarantineReason.BODY_TOO_LARGE));
    }
  }

  private static Service knowingBoth(InMemoryInboxStore database) {
    return Service.with(
        database,
        inbox ->
            inbox.subscribe(
                Service.QUEUE,
                queue ->
                    queue
                        .on(Created.class, Service::effect)
                        .on(Cancelled.class, (event, context) -> {})));
  }

  private static Service ordered(
      InMemoryInboxStore database, Consumer<SubscriptionBuilder> events) {
    return Service.with(
        database,
        inbox ->
            inbox.subscribe(
                Service.QUEUE,
                queue -> {
                  events.accept(queue);
                  queue.orderedByHeader("key");
                }));
  }

  private static Delivery keyed(String id, String type, int n) {
    return new Delivery(
        id,
        type,
        "application/json",
        null,
        "c",
        "s",
        Map.of("key", "k"),
        ("{\"n\":" + n + "}").getBytes(StandardCharsets.UTF_8),
        false);
  }

  @Test
  void theQuarantineOfAnotherServicesQueueCannotBeReplayedHere() {
    try (Service service = Service.subscribing(queue -> queue.on(Created.class, Service::effect))) {
      service.inbox.open();
      assertThatThrownBy(
              () -> service.inbox.quarantine().replay(MessageFilter.all().endpoint("payments")))
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("'payments'")
          .hasMessageContaining("it subscribes: orders");
    }
  }

  @Test
  void anInboxIsStartedOnce() {
    try (Service service = Service.handling(Service::effect)) {
      assertThatThrownBy(service.inbox::startProcessing)
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("already");
      assertThatThrownBy(service.inbox::startReceiving)
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("already");
    }
  }

  @Test
  void oneProcessCanReceiveAndAnotherProcess() {
    try (Service receiving = Service.subscribing(queue -> queue.receive(Created.class));
        Service processing =
            Service.with(
                receiving.store,
                inbox -> inbox.subscribe(Service.QUEUE, Created.class, Service::effect))) {
      receiving.inbox.startReceiving();
      processing.inbox.startProcessing();
      receiving.deliver(10);
      processing.awaitAll("processed", 10);
      await().untilAsserted(() -> assertThat(processing.heard.of("processed")).hasSize(10));
      assertThat(receiving.heard.of("processed")).isEmpty();
    }
  }
}
