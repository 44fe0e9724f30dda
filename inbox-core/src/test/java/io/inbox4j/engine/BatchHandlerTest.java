package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.BatchHandler;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.handler.Postpone;
import io.inbox4j.handler.RetryLater;
import io.inbox4j.memory.InMemoryTransaction;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.retry.WhenDead;
import io.inbox4j.transport.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BatchHandlerTest {

  /** How many events each call was given. */
  private final Queue<Integer> calls = new ConcurrentLinkedQueue<>();

  @Test
  void oneCallGetsAllThatAWorkerHasInFlight() {
    try (Service service = serviceWithStored(8, this::insertAll)) {
      service.awaitAll("processed", 8);
      assertThat(calls).containsExactly(8);
      assertThat(service.effects()).hasSize(8).doesNotHaveDuplicates();
    }
  }

  @Test
  void aMemberThatFailsLeavesNothingAndTheOthersAreHandledOnce() {
    BatchHandler<Created> handler =
        (events, context) -> {
          insertAll(events, context);
          events.stream()
              .filter(event -> event.n() % 3 == 0)
              .forEach(event -> context.fail(event, new IllegalStateException("every third")));
        };
    try (Service service = serviceWithStored(8, handler)) {
      service.awaitAll("dead", 3);
      service.awaitAll("processed", 5);
      assertThat(service.effects()).containsExactlyInAnyOrder("1", "2", "4", "5", "7");
      assertThat(calls).startsWith(8, 5);
      assertThat(service.errors()).allMatch(error -> error.contains("every third"));
    }
  }

  @Test
  void theOneThatMakesTheWholeCallFailIsFound() {
    BatchHandler<Created> handler =
        (events, context) -> {
          insertAll(events, context);
          if (events.stream().anyMatch(event -> event.n() == 5)) {
            throw new IllegalStateException("somebody is bad");
          }
        };
    try (Service service = serviceWithStored(8, handler)) {
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 7);
      assertThat(service.effects()).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "6", "7");
    }
  }

  @Test
  void aStatementThatTheStoreRefusesIsTracedToItsEvent() {
    BatchHandler<Created> handler =
        (events, context) -> {
          insertAll(events, context);
          if (events.stream().anyMatch(event -> event.n() == 2)) {
            context.unwrap(InMemoryTransaction.class).abort();
            throw new IllegalStateException("division by zero");
          }
        };
    try (Service service = serviceWithStored(4, handler)) {
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 3);
      assertThat(service.effects()).containsExactlyInAnyOrder("0", "1", "3");
      assertThat(service.errors()).allMatch(error -> error.contains("division by zero"));
    }
  }

  @Test
  void aBodyThatDoesNotFitFailsAlone() {
    try (Service service = Service.subscribing(batches(this::insertAll))) {
      service.inbox.startReceiving();
      service.transport.deliver(
          Service.QUEUE,
          List.of(
              Messages.created(0),
              Messages.delivery(Messages.id(1).toString(), "created", "c", "s", "{\"n\":\"one\"}"),
              Messages.created(2)));
      service.inbox.startProcessing();
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 2);
      assertThat(service.effects()).containsExactlyInAnyOrder("0", "2");
    }
  }

  @Test
  void retryLaterSpeaksForTheWholeBatch() {
    assertThat(statusesAfter(RetryLater.after(Duration.ofMillis(50), "the house is full")))
        .containsOnly("processed 2");
  }

  @Test
  void postponeSpeaksForTheWholeBatch() {
    assertThat(statusesAfter(Postpone.by(Duration.ofMillis(50), "too early")))
        .containsOnly("processed 1");
  }

  /** What becomes of eight messages whose first call throws this. */
  private List<String> statusesAfter(RuntimeException first) {
    BatchHandler<Created> handler =
        (events, context) -> {
          calls.add(events.size());
          if (calls.size() == 1) {
            throw first;
          }
        };
    try (Service service =
        Service.subscribing(
            queue -> queue.onBatch(Created.class, handler).retry(RetryPolicy.immediate(3)))) {
      service.inbox.startReceiving();
      service.deliver(8);
      service.inbox.startProcessing();
      service.awaitAll("processed", 8);
      assertThat(calls.peek()).isEqualTo(8);
      return service.statuses();
    }
  }

  @Test
  void aFailedMemberHoldsBackWhatFollowsItInItsKey() {
    BatchHandler<Created> handler =
        (events, context) -> {
          for (Created event : events) {
            if (event.n() == 2 && context.of(event).attempt() == 1) {
              context.fail(event, new IllegalStateException("once"));
            } else {
              Service.effect(context, String.valueOf(event.n()));
            }
          }
        };
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .onBatch(Created.class, handler)
                    .orderedBy(Created.class, event -> event.n() < 4 ? "first" : "second")
                    .retry(RetryPolicy.fixed(Duration.ofMillis(200)).maxAttempts(2)))) {
      service.inbox.startReceiving();
      service.deliver(8);
      service.inbox.startProcessing();
      service.awaitAll("processed", 8);
      assertThat(service.effects()).hasSize(8).doesNotHaveDuplicates();
      assertThat(service.store.effects())
          .filteredOn(name -> name.compareTo("4") < 0)
          .containsExactly("0", "1", "2", "3");
    }
  }

  @Test
  void theFirstOfAKeyDiesWhateverOrderTheHandlerNamesThemIn() {
    BatchHandler<Created> handler =
        (events, context) -> {
          List<Created> reversed = new ArrayList<>(events);
          Collections.reverse(reversed);
          reversed.forEach(event -> context.fail(event, new IllegalStateException("no")));
        };
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .onBatch(Created.class, handler)
                    .orderedBy(IntegrationEvent.class, event -> "key")
                    .whenDead(WhenDead.BLOCK_KEY)
                    .retry(RetryPolicy.immediate(1)))) {
      service.inbox.startReceiving();
      service.deliver(3);
      service.inbox.startProcessing();
      service.awaitAll("dead", 1);
      assertThat(service.statuses()).containsExactly("dead 1", "pending 0", "pending 0");
    }
  }

  @Test
  void eventsOfTwoKindsAreGroupedEachWithItsHandler() {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .onBatch(
                        Created.class, (events, context) -> seen.add("created " + events.size()))
                    .on(Cancelled.class, (event, context) -> seen.add("cancelled")))) {
      service.inbox.startReceiving();
      List<Delivery> mixed =
          IntStream.range(0, 8)
              .mapToObj(n -> n % 2 == 0 ? Messages.created(n) : cancelled(n))
              .toList();
      service.transport.deliver(Service.QUEUE, mixed);
      service.inbox.startProcessing();
      service.awaitAll("processed", 8);
      assertThat(seen)
          .containsExactly("created 4", "cancelled", "cancelled", "cancelled", "cancelled");
    }
  }

  @Test
  void anEventOfAnotherBatchCannotBeFailed() {
    Queue<String> errors = new ConcurrentLinkedQueue<>();
    BatchHandler<Created> handler =
        (events, context) -> {
          try {
            context.fail(new Created(UUID.randomUUID(), 99), new IllegalStateException());
          } catch (IllegalArgumentException e) {
            errors.add(e.getMessage());
          }
        };
    try (Service service = serviceWithStored(2, handler)) {
      service.awaitAll("processed", 2);
      assertThat(errors)
          .containsOnly(
              "this %s is none of the 2 events that the handler was given"
                  .formatted(Created.class.getName()));
    }
  }

  @Test
  void middlewareForSingleEventsIsRefusedAroundBatches() {
    assertThatThrownBy(
            () ->
                Service.subscribing(
                    queue ->
                        queue
                            .onBatch(Created.class, this::insertAll)
                            .middleware((event, context, next) -> next.proceed())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'orders' has a handler of batches")
        .hasMessageContaining("override its handleBatch");
  }

  @Test
  void middlewareForBatchesRunsAroundThem() {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    EventMiddleware both =
        new EventMiddleware() {
          @Override
          public void handle(IntegrationEvent event, EventContext context, Next next)
              throws Exception {
            next.proceed();
          }

          @Override
          public void handleBatch(
              List<? extends IntegrationEvent> events, BatchContext<?> context, Next next)
              throws Exception {
            seen.add("around " + events.size());
            next.proceed();
            seen.add("done");
          }
        };
    try (Service service =
        Service.subscribing(
            queue -> queue.onBatch(Created.class, this::insertAll).middleware(both))) {
      service.inbox.startReceiving();
      service.deliver(3);
      service.inbox.startProcessing();
      service.awaitAll("processed", 3);
      assertThat(seen).containsExactly("around 3", "done");
    }
  }

  private static Delivery cancelled(int n) {
    return Messages.delivery(Messages.id(n).toString(), "cancelled", "c", "shop", "{\"n\":1}");
  }

  /** A service whose worker finds all messages at its first look. */
  private Service serviceWithStored(int count, BatchHandler<Created> handler) {
    Service service = Service.subscribing(batches(handler));
    service.inbox.startReceiving();
    service.deliver(count);
    service.inbox.startProcessing();
    return service;
  }

  private static Consumer<SubscriptionBuilder> batches(BatchHandler<Created> handler) {
    return queue -> queue.onBatch(Created.class, handler).retry(RetryPolicy.immediate(1));
  }

  private void insertAll(List<Created> events, BatchContext<Created> context) {
    calls.add(events.size());
    events.forEach(event -> Service.effect(context, String.valueOf(event.n())));
  }
}
