package io.inbox4j.internal.endpoint;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.KnownType;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.handler.Postpone;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.internal.receive.OrderingKeySource;
import io.inbox4j.internal.receive.ReceiveLimits;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.RetryDecision;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.retry.WhenDead;
import io.inbox4j.store.AttemptFailure;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.TransactionEndedException;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.ReceiveEndpoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The immutable configuration of one endpoint, created once when the inbox is built.
 *
 * @param queue its queue, and how to receive from it
 * @param types the event types that it receives
 * @param dispatcher the handlers, for some or all of these types
 * @param middleware the middleware around them, outermost first
 * @param messageIdSource where the identity of a message is found
 * @param orderingKey where the ordering key of a message is found
 * @param limits what is accepted
 * @param retry the retry policy
 * @param retryByEvent the retry policies of events of these classes, instead
 * @param concurrencyByEvent the maximum number of handlers of these classes that run concurrently
 * @param breaker the circuit breaker, or null for none
 * @param mode in which transaction handlers run
 * @param workers how many workers it has
 * @param isolated whether every message has a transaction of its own
 * @param whenDead what happens to later messages of an ordering key when one is dead
 * @param pollInterval how often a worker polls without being woken
 * @param maxLag how long a message may be due before the lag counts as degraded
 * @param process the name of this process in the history of messages
 */
public record EndpointConfig(
    ReceiveEndpoint queue,
    EventTypes<IntegrationEvent> types,
    EventDispatcher dispatcher,
    List<EventMiddleware> middleware,
    MessageIdSource messageIdSource,
    OrderingKeySource orderingKey,
    ReceiveLimits limits,
    RetryPolicy retry,
    Map<Class<? extends IntegrationEvent>, RetryPolicy> retryByEvent,
    Map<Class<? extends IntegrationEvent>, Integer> concurrencyByEvent,
    @Nullable CircuitBreaker breaker,
    HandlingMode mode,
    int workers,
    boolean isolated,
    WhenDead whenDead,
    Duration pollInterval,
    Duration maxLag,
    String process) {

  /** The maximum number of handlers of one endpoint that can run concurrently in one process. */
  public static final int MAX_WORKERS = 10_000;

  public EndpointConfig {
    middleware = List.copyOf(middleware);
    retryByEvent = Map.copyOf(retryByEvent);
    concurrencyByEvent = Map.copyOf(concurrencyByEvent);
  }

  /** The endpoint's name. */
  public String endpoint() {
    return queue.queue();
  }

  /** Whether any of its events is handled here. */
  public boolean hasHandlers() {
    return !dispatcher.events().isEmpty();
  }

  /** The event types that have a handler. */
  public EventTypes<IntegrationEvent> handledTypes() {
    return types.only(dispatcher.events());
  }

  /** Whether most messages have an ordering key. */
  public boolean ordered() {
    return !(orderingKey instanceof OrderingKeySource.None);
  }

  /** The maximum number of messages per batch. */
  public int batchSize() {
    return queue.batchSize();
  }

  /** A validator of deliveries to this endpoint. */
  public DeliveryValidator validator(EventReader reader) {
    return new DeliveryValidator(types, messageIdSource, limits, orderingKey, reader);
  }

  /**
   * The outcome of a message whose handler failed like this.
   *
   * @param took how long the handler ran, or null if that is not known
   */
  public Outcome outcomeOf(ClaimedMessage message, Throwable failure, @Nullable Duration took) {
    if (failure instanceof Postpone postpone) {
      return new Outcome.Postponed(message.sequence(), postpone.when());
    }
    AttemptFailure attempt =
        new AttemptFailure(
            FailureFingerprint.className(failure.getClass().getName()),
            FailureText.summaryOf(failure),
            FailureFingerprint.of(failure),
            took,
            process);
    RetryDecision decision = retryOf(message.type()).decide(message.attempt(), failure);
    if (decision instanceof RetryDecision.RetryAfter retry) {
      return new Outcome.Retry(
          message.sequence(),
          retry.delay(),
          FailureText.of(failure),
          failure instanceof TransactionEndedException
              || failure instanceof TransactionLostException,
          attempt);
    }
    return dead(
        message, FailureText.of(((RetryDecision.GiveUp) decision).reason(), failure), attempt);
  }

  /** The outcome of a message that is given up on because its process crashed. */
  public Outcome.Dead dead(ClaimedMessage message, String error) {
    return dead(message, error, AttemptFailure.crash(AttemptFailure.DIED));
  }

  private Outcome.Dead dead(ClaimedMessage message, String error, AttemptFailure attempt) {
    boolean blocksKey = message.orderingKey() != null && whenDead == WhenDead.BLOCK_KEY;
    return new Outcome.Dead(message.sequence(), error, blocksKey, attempt);
  }

  /** Whether later messages of the same ordering key wait after this outcome. */
  public boolean blocksKey(Outcome outcome) {
    return outcome instanceof Outcome.Retry
        || outcome instanceof Outcome.Postponed
        || (outcome instanceof Outcome.Dead dead && dead.blocksKey());
  }

  /** The maximum number of messages per transaction. */
  public int transactionSize() {
    return isolated ? 1 : batchSize();
  }

  public RetryPolicy retryOf(String type) {
    KnownType<?> known = types.find(type);
    return known == null ? retry : retryByEvent.getOrDefault(known.event(), retry);
  }

  /** The summary that is logged at the start. */
  @Override
  public String toString() {
    return "%s [%s], %s, %d consumers × prefetch %d, %d %s × batch %d, %s"
        .formatted(
            endpoint(),
            types,
            queue.topology().kind(),
            queue.consumers(),
            queue.prefetch(),
            workers,
            mode instanceof HandlingMode.Leased ? "leased handlers" : "workers",
            batchSize(),
            retry);
  }
}
