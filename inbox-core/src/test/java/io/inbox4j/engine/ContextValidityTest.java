package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.memory.InMemoryTransaction;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a context offers is done, or refused: it is never accepted and lost. */
@Timeout(60)
class ContextValidityTest {

  private static final EventContext.Effect LATE =
      transaction -> Service.effect(transaction, "late");

  private final AtomicReference<@Nullable EventContext> left = new AtomicReference<>();

  static Stream<Consumer<SubscriptionBuilder>> modes() {
    return Stream.of(
        queue -> {},
        SubscriptionBuilder::inline,
        queue -> queue.isolated(),
        queue -> queue.leased());
  }

  @ParameterizedTest
  @MethodSource("modes")
  void anEffectThatComesAfterTheHandlerHasReturnedIsRefused(Consumer<SubscriptionBuilder> mode) {
    try (Service service =
        Service.subscribing(
                mode.andThen(
                    queue -> queue.on(Created.class, (event, context) -> left.set(context))))
            .start()) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      EventContext context = Objects.requireNonNull(left.get());
      assertRefused(() -> context.commitWith(LATE));
      assertThatThrownBy(() -> context.unwrap(InMemoryTransaction.class))
          .isInstanceOf(IllegalStateException.class);
      assertThat(service.effects()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("modes")
  void anEffectOfMiddlewareAfterTheHandlerIsCommitted(Consumer<SubscriptionBuilder> mode) {
    EventMiddleware after =
        (event, context, next) -> {
          next.proceed();
          context.commitWith(transaction -> Service.effect(transaction, "after"));
        };
    try (Service service =
        Service.subscribing(
                mode.andThen(
                    queue -> queue.middleware(after).on(Created.class, (event, context) -> {})))
            .start()) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(service.effects()).containsExactly("after");
    }
  }

  @ParameterizedTest
  @MethodSource("modes")
  void anEffectOfAnotherThreadThatTheHandlerWaitsForIsCommitted(
      Consumer<SubscriptionBuilder> mode) {
    try (Service service =
        Service.subscribing(
                mode.andThen(
                    queue ->
                        queue.on(
                            Created.class,
                            (event, context) ->
                                CompletableFuture.runAsync(() -> commitEach(context, 100)).get())))
            .start()) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(service.effects()).hasSize(100).doesNotHaveDuplicates();
    }
  }

  private static void commitEach(EventContext context, int count) {
    for (int i = 0; i < count; i++) {
      String name = String.valueOf(i);
      try {
        context.commitWith(transaction -> Service.effect(transaction, name));
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void anEffectThatComesAfterTheHandlersTimeWasUpIsRefused() throws Exception {
    CompletableFuture<@Nullable Void> late = new CompletableFuture<>();
    CountDownLatch mayGoOn = new CountDownLatch(1);
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              ForkJoinPool.managedBlock(ignoringInterrupts(mayGoOn));
                              try {
                                context.commitWith(LATE);
                                late.complete(null);
                              } catch (Throwable e) {
                                late.completeExceptionally(e);
                              }
                            })
                        .leased()
                        .handlerTimeout(Duration.ofMillis(100))
                        .retry(RetryPolicy.never()))
            .start()) {
      service.deliver(1);
      service.awaitAll("dead", 1);
      mayGoOn.countDown();
      assertThatThrownBy(late::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("would be lost");
      assertThat(service.effects()).isEmpty();
    }
  }

  private static ForkJoinPool.ManagedBlocker ignoringInterrupts(CountDownLatch latch) {
    return new ForkJoinPool.ManagedBlocker() {
      @Override
      public boolean block() {
        try {
          latch.await();
        } catch (InterruptedException e) {
          return false;
        }
        return true;
      }

      @Override
      public boolean isReleasable() {
        return latch.getCount() == 0;
      }
    };
  }

  @Test
  void whatIsSaidOfABatchAfterItsHandlerHasReturnedIsRefused() {
    AtomicReference<@Nullable BatchContext<Created>> batch = new AtomicReference<>();
    AtomicReference<@Nullable List<Created>> given = new AtomicReference<>();
    try (Service service =
        Service.subscribing(
                queue ->
                    queue.onBatch(
                        Created.class,
                        (events, context) -> {
                          given.set(events);
                          batch.set(context);
                          left.set(context.of(events.get(0)));
                        }))
            .start()) {
      service.deliver(3);
      service.awaitAll("processed", 3);
      BatchContext<Created> context = Objects.requireNonNull(batch.get());
      Created event = Objects.requireNonNull(given.get()).get(0);
      assertRefused(() -> context.fail(event, new IllegalStateException("too late")));
      assertRefused(() -> context.of(event).commitWith(LATE));
      assertRefused(() -> context.unwrap(InMemoryTransaction.class));
      assertRefused(() -> Objects.requireNonNull(left.get()).commitWith(LATE));
      assertThat(service.effects()).isEmpty();
    }
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the handler has returned")
        .hasMessageContaining("would be lost");
  }
}
