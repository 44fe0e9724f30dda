package io.inbox4j.internal.endpoint;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.KnownType;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.handler.Postpone;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.RetryDecision;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.retry.WhenDead;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.TransactionEndedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The immutable configuration of one endpoint for the processor.
 *
 * @param endpoint the endpoint
 * @param types the event types that have a handler
 * @param dispatcher the handlers
 * @param middleware the middleware around them, outermost first
 * @param retry the retry policy
 * @param retryByEvent the retry policies of events of these classes, instead
 * @param concurrencyByEvent the maximum number of handlers of these classes that run concurrently
 * @param breaker the circuit breaker, or null for none
 * @param mode in which transaction handlers run
 * @param workers how many workers it has
 * @param batchSize the maximum number of messages per batch
 * @param isolated whether every message has a transaction of its own
 * @param ordered whether most messages have an ordering key
 * @param whenDead what happens to later messages of an ordering key when one is dead
 * @param pollInterval how often a worker polls without being woken
 */
public record EndpointConfig(
    String endpoint,
    EventTypes<IntegrationEvent> types,
    EventDispatcher dispatcher,
    List<EventMiddleware> middleware,
    RetryPolicy retry,
    Map<Class<? extends IntegrationEvent>, RetryPolicy> retryByEvent,
    Map<Class<? extends IntegrationEvent>, Integer> concurrencyByEvent,
    @Nullable CircuitBreaker breaker,
    HandlingMode mode,
    int workers,
    int batchSize,
    boolean isolated,
    boolean ordered,
    WhenDead whenDead,
    Duration pollInterval) {

  /** The maximum number of handlers of one endpoint that can run concurrently in one process. */
  public static final int MAX_WORKERS = 10_000;

  public EndpointConfig {
    retryByEvent = Map.copyOf(retryByEvent);
    concurrencyByEvent = Map.copyOf(concurrencyByEvent);
  }

  /** The outcome of a message whose handler failed like this. */
  public Outcome outcomeOf(ClaimedMessage message, Throwable failure) {
    if (failure instanceof Postpone postpone) {
      return new Outcome.Postponed(message.sequence(), postpone.when());
    }
    RetryDecision decision = retryOf(message.type()).decide(message.attempt(), failure);
    if (decision instanceof RetryDecision.RetryAfter retry) {
      return new Outcome.Retry(
          message.sequence(),
          retry.delay(),
          FailureText.of(failure),
          failure instanceof TransactionEndedException
              || failure instanceof TransactionLostException);
    }
    return dead(message, FailureText.of(((RetryDecision.GiveUp) decision).reason(), failure));
  }

  /** The outcome of a message that is given up on. */
  public Outcome.Dead dead(ClaimedMessage message, String error) {
    return new Outcome.Dead(
        message.sequence(), error, message.orderingKey() != null && whenDead == WhenDead.BLOCK_KEY);
  }

  /** Whether later messages of the same ordering key wait after this outcome. */
  public boolean holdsKey(Outcome outcome) {
    return outcome instanceof Outcome.Retry
        || outcome instanceof Outcome.Postponed
        || (outcome instanceof Outcome.Dead dead && dead.holdsKey());
  }

  /** The maximum number of messages per transaction. */
  public int transactionSize() {
    return isolated ? 1 : batchSize;
  }

  public RetryPolicy retryOf(String type) {
    KnownType<?> known = types.find(type);
    return known == null ? retry : retryByEvent.getOrDefault(known.event(), retry);
  }
}
