package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.PendingMessages;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.EventContext;
import io.inbox4j.listener.Health.Status;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that wait for a time that is far ahead, through the inbox. */
@Timeout(60)
class PendingMessagesTest {

  private static final MessageFilter ALL = MessageFilter.all();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long FAR_AHEAD =
      System.currentTimeMillis() + Duration.ofDays(365).toMillis();

  @Test
  void aKeyThatWaitsForAFarTimeIsToldAndGoesOnWhenTheMessageIsExpedited() {
    try (Service service = walking()) {
      service.transport.deliver(
          Service.QUEUE, List.of(step(1, FAR_AHEAD), step(2, null), step(3, null)));
      awaitStuck(service, Status.DEGRADED);
      assertThat(service.inbox.health().part("stuck", Service.QUEUE).orElseThrow().detail())
          .contains("2 messages wait for message " + Messages.id(1), "not due before");
      assertThat(service.effects()).isEmpty();
      PendingMessages pending = service.inbox.pending().as("anna");
      assertThat(pending.list(ALL, 10)).extracting(PendingMessage::attempts).containsOnly(0);
      assertThat(pending.expedite(ALL)).isEqualTo(new PendingMessages.Result(1, 0));
      service.awaitAll("processed", 3);
      assertThat(service.store.effects()).containsExactly("1", "2", "3");
      awaitStuck(service, Status.UP);
      assertThat(pending.history(ALL, 10))
          .singleElement()
          .satisfies(it -> assertThat(it.action()).isEqualTo(Intervention.Action.EXPEDITE))
          .satisfies(it -> assertThat(it.by()).isEqualTo("anna"));
    }
  }

  @Test
  void aKeyThatWaitsForAFarTimeGoesOnAtOnceWhenTheMessageIsDiscarded() {
    try (Service service = walking()) {
      service.transport.deliver(Service.QUEUE, List.of(step(1, FAR_AHEAD), step(2, null)));
      PendingMessages pending = service.inbox.pending();
      long first = pending.list(ALL, 1).get(0).sequence();
      assertThat(pending.discard(ALL.sequence(first))).isEqualTo(new PendingMessages.Result(1, 0));
      service.awaitAll("processed", 1);
      service.awaitAll("discarded", 1);
      assertThat(service.effects()).containsExactly("2");
      assertThat(service.heard.of("discarded")).containsExactly("discarded " + Messages.id(1));
      service.transport.deliver(Service.QUEUE, List.of(step(1, FAR_AHEAD)));
      assertThat(service.heard.of("duplicate")).hasSize(1);
    }
  }

  @Test
  void whatAHandlerHasInFlightIsLeftAloneAndCounted() {
    CountDownLatch inFlight = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .batchSize(1)
                        .on(
                            Created.class,
                            (event, context) -> {
                              Service.effect(event, context);
                              inFlight.countDown();
                              goOn.await();
                            }))
            .start()) {
      service.deliver(3);
      inFlight.await();
      assertThat(service.inbox.pending().discard(ALL)).isEqualTo(new PendingMessages.Result(2, 1));
      goOn.countDown();
      service.awaitAll("processed", 1);
      assertThat(service.store.effects()).hasSize(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void everyPageIsExpeditedAndDiscarded() {
    int count = 1_201;
    List<Delivery> all = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      all.add(step(n, FAR_AHEAD));
    }
    try (Service service = walking()) {
      service.inbox.control(Service.QUEUE).pause("anna", "look");
      service.transport.deliver(Service.QUEUE, all);
      PendingMessages pending = service.inbox.pending();
      assertThat(pending.expedite(ALL)).isEqualTo(new PendingMessages.Result(count, 0));
      assertThat(pending.expedite(ALL)).isEqualTo(new PendingMessages.Result(0, 0));
      assertThat(pending.discard(ALL)).isEqualTo(new PendingMessages.Result(count, 0));
      assertThat(pending.discard(ALL)).isEqualTo(new PendingMessages.Result(0, 0));
      assertThat(service.heard.of("discarded")).hasSize(count);
    }
  }

  @Test
  void aNameThatSaysNothingIsRefused() {
    try (Service service = walking()) {
      assertThatThrownBy(() -> service.inbox.pending().as(" "))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1 to 255 characters");
    }
  }

  private static Service walking() {
    return Service.subscribing(
            queue ->
                queue
                    .on(Step.class, PendingMessagesTest::take)
                    .orderedBy(IntegrationEvent.class, event -> "walk")
                    .pollInterval(Duration.ofMinutes(10)))
        .start();
  }

  private static void take(Step step, EventContext context) {
    Service.effect(context, String.valueOf(step.n()));
  }

  private static void awaitStuck(Service service, Status status) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                service.inbox.health().part("stuck", Service.QUEUE).orElseThrow().status()
                    == status);
  }

  private static Delivery step(int n, Object notBefore) {
    return new Delivery(
        Messages.id(n).toString(),
        "step",
        null,
        null,
        null,
        null,
        notBefore == null ? Map.of() : Map.of("x-not-before", notBefore),
        "{\"walk\":\"a\",\"n\":%d}".formatted(n).getBytes(StandardCharsets.UTF_8),
        false);
  }
}
