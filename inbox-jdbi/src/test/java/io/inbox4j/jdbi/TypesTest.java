package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.InboxException;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.transport.Delivery;
import java.util.List;
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
              old.database,
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
              old.database,
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
  void theQuarantineOfAnotherServicesQueueCannotBeReplayedHere() {
    try (Service service = Service.subscribing(queue -> queue.on(Created.class, Service::effect))) {
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
                receiving.database,
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
