package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.retry.RetryPolicy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What runs around handlers. */
@Timeout(60)
class MiddlewareTest {

  private final Queue<String> order = new ConcurrentLinkedQueue<>();

  @Test
  void theFirstIsTheOutermostAndTheInboxesIsAroundTheSubscriptions() {
    try (Service service =
        Service.with(
                inbox ->
                    inbox
                        .middleware(noting("first"))
                        .subscribe(
                            Service.QUEUE,
                            queue ->
                                queue
                                    .on(Created.class, (event, context) -> order.add("handler"))
                                    .middleware(noting("inner")))
                        .middleware(noting("second")))
            .start()) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(order)
          .containsExactly("first", "second", "inner", "handler", "/inner", "/second", "/first");
    }
  }

  @Test
  void itSharesTheTransactionOfTheHandler() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .middleware(
                            (event, context, next) -> {
                              Service.effect(context, "around attempt " + context.attempt());
                              next.proceed();
                            })
                        .retry(RetryPolicy.immediate(2))
                        .on(
                            Created.class,
                            (event, context) -> {
                              Service.effect(event, context);
                              if (context.attempt() == 1) {
                                throw new IllegalStateException("not yet");
                              }
                            }))
            .start()) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(service.store.effects()).containsExactly("around attempt 2", "0");
    }
  }

  @Test
  void whatItThrowsIsTheHandlersFailureAndUndoesWhatTheHandlerDid() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .middleware(
                            (event, context, next) -> {
                              next.proceed();
                              throw new SecurityException("not allowed");
                            })
                        .retry(RetryPolicy.never())
                        .on(Created.class, Service::effect))
            .start()) {
      service.deliver(1);
      service.awaitAll("dead", 1);
      assertThat(service.store.effects()).isEmpty();
      assertThat(service.errors().get(0)).contains("not allowed");
    }
  }

  @Test
  void whatItKeepsFromTheHandlerCountsAsHandled() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .middleware((event, context, next) -> {})
                        .on(Created.class, Service::effect))
            .start()) {
      service.deliver(2);
      service.awaitAll("processed", 2);
      assertThat(service.store.effects()).isEqualTo(List.of());
    }
  }

  private EventMiddleware noting(String name) {
    return (event, context, next) -> {
      order.add(name);
      next.proceed();
      order.add("/" + name);
    };
  }
}
