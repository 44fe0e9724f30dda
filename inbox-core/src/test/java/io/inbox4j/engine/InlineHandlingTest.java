package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that run in the transaction that stores their message. */
@Timeout(60)
class InlineHandlingTest {

  private final AtomicBoolean broken = new AtomicBoolean();

  @Test
  void aMessageIsHandledBeforeItMayBeAcknowledgedWithoutAnyWorker() {
    try (Service service = receiving(Service::effect, queue -> {})) {
      service.deliver(100);
      assertThat(service.effects()).hasSize(100);
      assertThat(service.statuses()).containsOnly("processed 1");
      assertThat(service.heard.lines().subList(1, 101)).allMatch(it -> it.startsWith("received"));
      assertThat(service.heard.of("processed")).hasSize(100);
    }
  }

  @Test
  void aFailureRollsItsEffectBackAndLeavesTheMessageToTheProcessor() {
    broken.set(true);
    try (Service service =
        receiving(
            (event, context) -> {
              Service.effect(event, context);
              if (event.n() == 1 && broken.get()) {
                throw new IllegalStateException("broken");
              }
            },
            queue -> queue.retry(RetryPolicy.immediate(100)))) {
      service.deliver(3);
      assertThat(service.effects()).containsExactly("0", "2");
      assertThat(service.statuses()).containsExactly("processed 1", "retrying 1", "processed 1");
      broken.set(false);
      service.inbox.startProcessing();
      service.awaitAll("processed", 3);
      assertThat(service.effects()).containsExactly("0", "1", "2");
      assertThat(service.statuses()).containsExactly("processed 1", "processed 2", "processed 1");
    }
  }

  @Test
  void whatWasDeliveredBeforeIsLeftToTheProcessorBecauseItMayHaveKilledTheReceiver() {
    try (Service service = receiving(Service::effect, queue -> {})) {
      service.transport.deliver(Service.QUEUE, List.of(delivery(0, true), delivery(1, false)));
      assertThat(service.effects()).containsExactly("1");
      service.inbox.startProcessing();
      service.awaitAll("processed", 2);
    }
  }

  private static Delivery delivery(int n, boolean redelivered) {
    return new Delivery(
        Messages.id(n).toString(),
        Messages.TYPE,
        null,
        null,
        null,
        null,
        Map.of(),
        ("{\"n\":" + n + "}").getBytes(StandardCharsets.UTF_8),
        redelivered);
  }

  @Test
  void aMessageWaitsBehindAnEarlierOneOfItsKey() {
    broken.set(true);
    Queue<Integer> order = new ConcurrentLinkedQueue<>();
    try (Service service =
        receiving(
            (event, context) -> {
              if (event.n() == 0 && broken.get()) {
                throw new IllegalStateException("broken");
              }
              order.add(event.n());
            },
            queue ->
                queue
                    .orderedBy(Created.class, event -> event.n() == 3 ? "other" : "key")
                    .retry(RetryPolicy.immediate(100)))) {
      service.deliver(2);
      service.transport.deliver(Service.QUEUE, Service.deliveries(4).subList(2, 4));
      assertThat(order).containsExactly(3);
      broken.set(false);
      service.inbox.startProcessing();
      service.awaitAll("processed", 4);
      assertThat(order).containsExactly(3, 0, 1, 2);
    }
  }

  @Test
  void aHandlerThatLeavesItsThreadInterruptedDoesNotEndTheReceiver() {
    try (Service service =
        receiving((event, context) -> Thread.currentThread().interrupt(), queue -> {})) {
      service.deliver(3);
      assertThat(Thread.interrupted()).isFalse();
      assertThat(service.statuses()).hasSize(3).containsOnly("processed 1");
    }
  }

  /** A service that only receives. */
  private static Service receiving(
      EventHandler<Created> handler, Consumer<SubscriptionBuilder> options) {
    Service service =
        Service.subscribing(
            queue ->
                options.accept(
                    queue.on(Created.class, handler).inline().pollInterval(Duration.ofMillis(20))));
    service.inbox.startReceiving();
    return service;
  }
}
