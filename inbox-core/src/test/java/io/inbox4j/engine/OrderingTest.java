package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.EventContext;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.retry.WhenDead;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages with an ordering key, through the inbox. */
@Timeout(60)
class OrderingTest {

  private final AtomicBoolean broken = new AtomicBoolean(true);

  @Test
  void whileAMessageFailsItsKeyWaitsAndOthersGoOn() {
    try (Service service = walking(queue -> queue.retry(again(1_000)))) {
      deliver(service, "a1", "a2", "b1", "a3", "b2");
      await().until(() -> effects(service).containsAll(List.of("b1", "b2")));
      await().until(() -> service.heard.of("retried").size() > 3);
      assertThat(effects(service)).containsExactlyInAnyOrder("b1", "b2");
      broken.set(false);
      service.awaitAll("processed", 5);
      assertThat(effects(service)).containsSubsequence("a1", "a2", "a3");
    }
  }

  @Test
  void whenAMessageDiesItsKeyGoesOn() {
    try (Service service = walking(queue -> queue.retry(again(2)))) {
      deliver(service, "a1", "a2", "a3");
      service.awaitAll("processed", 2);
      assertThat(effects(service)).containsExactly("a2", "a3");
    }
  }

  @Test
  void whenAMessageDiesItsKeyWaitsForTheReplayIfAskedTo() {
    try (Service service = walking(queue -> queue.retry(again(2)).whenDead(WhenDead.BLOCK_KEY))) {
      deliver(service, "a1", "a2", "b1", "a3");
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 1);
      assertThat(effects(service)).containsExactly("b1");
      broken.set(false);
      assertThat(service.inbox.deadLetters().replay(MessageFilter.all())).isEqualTo(1);
      service.awaitAll("processed", 4);
      assertThat(effects(service)).containsExactly("b1", "a1", "a2", "a3");
    }
  }

  @Test
  void theKeyCanBeInAHeader() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(Step.class, this::take)
                        .orderedByHeader("walk")
                        .concurrency(4)
                        .retry(again(1_000)))
            .start()) {
      Delivery a1 = step("a1", Map.of("walk", "w"));
      Delivery b1 = step("b1", Map.of("walk", "w"));
      Delivery c1 = step("c1", Map.of());
      service.transport.deliver(Service.QUEUE, List.of(a1, b1, c1));
      await().until(() -> effects(service).contains("c1"));
      await().until(() -> service.heard.of("retried").size() > 3);
      assertThat(effects(service)).containsExactly("c1");
      broken.set(false);
      service.awaitAll("processed", 3);
      assertThat(effects(service)).containsExactly("c1", "a1", "b1");
    }
  }

  @Test
  void messagesWithAKeyAreHandledAlsoWhenTheSubscriptionIsNotOrderedAnyMore() {
    broken.set(false);
    InMemoryInboxStore database;
    try (Service service = walking(queue -> queue.retry(again(2)))) {
      database = service.store;
      service.inbox.open();
      service.close();
    }
    try (Service receiver =
        Service.with(
            database,
            inbox -> inbox.subscribe(Service.QUEUE, q -> q.receive(Step.class).ordered()))) {
      receiver.inbox.startReceiving();
      deliver(receiver, "a1", "a2");
    }
    try (Service worker =
        Service.with(database, inbox -> inbox.subscribe(Service.QUEUE, Step.class, this::take))) {
      worker.inbox.startProcessing();
      worker.awaitAll("processed", 2);
    }
  }

  @Test
  void orderNeedsASingleConsumer() {
    assertThatThrownBy(
            () ->
                Service.subscribing(
                    queue -> queue.on(Step.class, this::take).ordered().consumers(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has 2 consumers")
        .hasMessageContaining("expected 1");
  }

  @Test
  void aBodyThatHasNoKeyBecauseItDoesNotFitIsQuarantined() {
    try (Service service = walking(queue -> queue.retry(again(2)))) {
      Delivery unfit = Messages.delivery("x", "step", "c", "s", "{\"n\":\"many\"}");
      service.transport.deliver(Service.QUEUE, List.of(unfit));
      assertThat(service.heard.of("quarantined")).containsExactly("quarantined unreadable");
    }
  }

  @Test
  void aKeyThatCannotBeTakenFromTheEventIsAReasonForQuarantine() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(Step.class, (event, context) -> {})
                        .orderedBy(
                            IntegrationEvent.class,
                            event -> {
                              throw new IllegalStateException("no customer");
                            }))
            .start()) {
      deliver(service, "a1", "a2");
      assertThat(service.heard.of("quarantined"))
          .containsExactly("quarantined unreadable", "quarantined unreadable");
    }
  }

  private Service walking(Consumer<SubscriptionBuilder> options) {
    return Service.subscribing(
            queue -> {
              queue.on(Step.class, this::take).ordered().concurrency(4);
              options.accept(queue);
            })
        .start();
  }

  /** Takes the step; the first of the walk a fails while something is broken. */
  private void take(Step event, EventContext context) {
    String name = event.walk() + event.n();
    Service.effect(context, name);
    if (name.equals("a1") && broken.get()) {
      throw new IllegalStateException("broken");
    }
  }

  private static RetryPolicy again(int attempts) {
    return RetryPolicy.fixed(Duration.ofMillis(10)).maxAttempts(attempts);
  }

  private static void deliver(Service service, String... names) {
    service.transport.deliver(
        Service.QUEUE, Stream.of(names).map(name -> step(name, Map.of())).toList());
  }

  private static Delivery step(String name, Map<String, Object> headers) {
    String body = "{\"walk\":\"%s\",\"n\":%s}".formatted(name.substring(0, 1), name.substring(1));
    return new Delivery(
        name,
        "step",
        null,
        null,
        null,
        null,
        headers,
        body.getBytes(StandardCharsets.UTF_8),
        false);
  }

  private static List<String> effects(Service service) {
    return service.store.effects();
  }
}
