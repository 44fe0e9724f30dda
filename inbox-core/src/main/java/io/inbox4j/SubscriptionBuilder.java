package io.inbox4j;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.SealedFamily;
import io.inbox4j.handler.BatchHandler;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.internal.DurationRange;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.endpoint.EventDispatcher;
import io.inbox4j.internal.endpoint.HandlingMode;
import io.inbox4j.internal.receive.OrderingKeySource;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.retry.WhenDead;
import io.inbox4j.transport.Binding;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.TopicNames;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Builds the subscription to one queue: its events, their handlers, and how they run.
 *
 * <pre>{@code
 * .subscribe("billing.orders", queue -> queue
 *     .on(OrderCreated.class, this::orderCreated)
 *     .on(OrderCancelled.class, this::orderCancelled)
 *     .bind("orders", "order.*")
 *     .retry(RetryPolicy.exponential(Duration.ofSeconds(2)).maxAttempts(5)))
 * }</pre>
 */
public final class SubscriptionBuilder extends SubscriptionOptions<SubscriptionBuilder> {

  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  private static final DurationRange LEASES =
      new DurationRange(Duration.ofSeconds(1), Duration.ofDays(1));
  private static final DurationRange TIMEOUTS = DurationRange.upTo(Duration.ofDays(30));

  private final String queue;
  private final Set<Class<? extends IntegrationEvent>> events = new LinkedHashSet<>();
  private final Set<Class<? extends IntegrationEvent>> upcastEvents = new LinkedHashSet<>();
  private final EventTypes.Builder<IntegrationEvent> types = EventTypes.builder();
  private final EventDispatcher.Builder dispatcher = EventDispatcher.builder();
  private final Map<Class<? extends IntegrationEvent>, RetryPolicy> retryByEvent =
      new LinkedHashMap<>();
  private final List<Binding> bindings = new ArrayList<>();
  private boolean unbound;
  private final List<EventMiddleware> middleware;
  private Topology topology = Topology.quorum();
  private MessageIdSource messageIdSource = MessageIdSource.ANY;
  private final List<OrderingKeySource.KeyOf<?>> orderingKeys = new ArrayList<>();
  private @Nullable String orderingHeader;
  private WhenDead whenDead = WhenDead.CONTINUE;
  private final Map<Class<? extends IntegrationEvent>, Integer> concurrencyByEvent =
      new LinkedHashMap<>();
  private HandlingMode mode = new HandlingMode.Transactional();
  private @Nullable Duration handlerTimeout;

  SubscriptionBuilder(
      String queue, SubscriptionOptions<?> defaults, List<EventMiddleware> middleware) {
    super(defaults);
    this.middleware = new ArrayList<>(middleware);
    if (queue.isBlank() || queue.length() > 255) {
      throw new IllegalArgumentException(
          "the queue is '%s'; expected a name of 1 to 255 characters".formatted(queue));
    }
    this.queue = queue;
  }

  /**
   * Handles events of this class, or of all classes that a sealed interface permits. A class has
   * exactly one handler.
   */
  public <T extends IntegrationEvent> SubscriptionBuilder on(
      Class<T> event, EventHandler<? super T> handler) {
    for (Class<? extends T> member : SealedFamily.of(event)) {
      dispatcher.on(member, handler);
      receive(member);
    }
    return this;
  }

  /**
   * Handles events of this class, or of all classes that a sealed interface permits, in batches.
   */
  public <T extends IntegrationEvent> SubscriptionBuilder onBatch(
      Class<T> event, BatchHandler<? super T> handler) {
    for (Class<? extends T> member : SealedFamily.of(event)) {
      dispatcher.onBatch(member, handler);
      receive(member);
    }
    return this;
  }

  /** Receives events of this class or sealed family without handling them; another process does. */
  public SubscriptionBuilder receive(Class<? extends IntegrationEvent> event) {
    for (Class<? extends IntegrationEvent> member : SealedFamily.of(event)) {
      events.add(member);
      types.add(member);
    }
    return this;
  }

  /**
   * Reads messages of an old type as events of this class: the upcaster gets the old version's JSON
   * and returns the JSON that the class expects.
   */
  public SubscriptionBuilder upcast(
      String oldType, Class<? extends IntegrationEvent> event, UnaryOperator<ObjectNode> upcaster) {
    types.add(oldType, event, upcaster);
    upcastEvents.add(event);
    return this;
  }

  /**
   * Binds the queue to an exchange, which is declared as a durable topic exchange unless it exists.
   * Defaults to the topics of all event types that it receives, see {@link InboxBuilder#topics}; a
   * queue that is only checked ({@link Topology#existing()}) is not bound to them.
   */
  public SubscriptionBuilder bind(String exchange, String... routingKeys) {
    if (routingKeys.length == 0) {
      throw new IllegalArgumentException(
          "no routing key given to bind '%s' to '%s'; '#' binds everything"
              .formatted(queue, exchange));
    }
    for (String routingKey : routingKeys) {
      bindings.add(new Binding(exchange, routingKey));
    }
    return this;
  }

  /**
   * Binds the queue to nothing, for messages that are sent to it directly, and for bindings that
   * somebody else makes. Bindings that exist stay.
   */
  public SubscriptionBuilder unbound() {
    this.unbound = true;
    return this;
  }

  /** How the queue is declared. Defaults to {@link Topology#quorum()}. */
  public SubscriptionBuilder topology(Topology topology) {
    this.topology = topology;
    return this;
  }

  /** Where the identity of a message is found. Defaults to {@link MessageIdSource#ANY}. */
  public SubscriptionBuilder messageIdFrom(MessageIdSource source) {
    this.messageIdSource = source;
    return this;
  }

  /** The retry policy for events of this class. Defaults to the subscription's. */
  public SubscriptionBuilder retry(Class<? extends IntegrationEvent> event, RetryPolicy policy) {
    retryByEvent.put(event, policy);
    return this;
  }

  /**
   * Handles events with the same {@link IntegrationEvent#orderingKey()} one at a time, in arrival
   * order, across all workers and processes; other events are handled concurrently. Defaults to no
   * order.
   */
  public SubscriptionBuilder ordered() {
    return orderedBy(IntegrationEvent.class, IntegrationEvent::orderingKey);
  }

  /**
   * Like {@link #ordered()}, with a key read from events of this class or family, for example
   * {@code orderedBy(OrderCreated.class, OrderCreated::orderId)}; its string form is the key, null
   * means no order. Can be called for several classes: the first that matches an event applies;
   * events of other classes have no order.
   */
  public <T extends IntegrationEvent> SubscriptionBuilder orderedBy(
      Class<T> event, Function<? super T, ? extends @Nullable Object> key) {
    requireEventOrHeader(orderingHeader == null);
    orderingKeys.add(new OrderingKeySource.KeyOf<>(event, key));
    return this;
  }

  /** Like {@link #ordered()}, with the key in a header; a message without it has no order. */
  public SubscriptionBuilder orderedByHeader(String name) {
    requireEventOrHeader(orderingKeys.isEmpty());
    this.orderingHeader = name;
    return this;
  }

  private void requireEventOrHeader(boolean either) {
    if (!either) {
      throw new IllegalArgumentException(
          "'%s' has ordering keys from events and from a header; expected one of them"
              .formatted(queue));
    }
  }

  private OrderingKeySource orderingKey() {
    if (orderingHeader != null) {
      return new OrderingKeySource.InHeader(orderingHeader);
    }
    return orderingKeys.isEmpty()
        ? new OrderingKeySource.None()
        : new OrderingKeySource.InEvent(orderingKeys);
  }

  /**
   * What happens to later messages of an ordering key when one of its messages is dead. Defaults to
   * {@link WhenDead#CONTINUE}.
   */
  public SubscriptionBuilder whenDead(WhenDead choice) {
    this.whenDead = choice;
    return this;
  }

  /**
   * The maximum number of handlers of this class that run concurrently in this process. Defaults to
   * no limit of its own.
   */
  public SubscriptionBuilder concurrency(Class<? extends IntegrationEvent> event, int handlers) {
    inRange("concurrency of " + event.getName(), handlers, 1, EndpointConfig.MAX_WORKERS);
    concurrencyByEvent.put(event, handlers);
    return this;
  }

  /**
   * Runs handlers in the transaction that stores the message, before it is acknowledged. After a
   * failure the message is left to the processor. Defaults to a separate transaction of the
   * processor.
   */
  public SubscriptionBuilder inline() {
    return mode(new HandlingMode.Inline());
  }

  /** Runs handlers outside any transaction, under a lease of 30 s. */
  public SubscriptionBuilder leased() {
    return leased(DEFAULT_LEASE);
  }

  /**
   * Runs handlers outside any transaction, for slow or external work: any number of them share a
   * few database connections. A lease keeps the message from other workers and is renewed while the
   * handler runs; if the process dies, the message can be claimed again once the lease expires.
   *
   * @param lease one second to one day
   */
  public SubscriptionBuilder leased(Duration lease) {
    return mode(new HandlingMode.Leased(LEASES.check("the lease", lease), null));
  }

  private SubscriptionBuilder mode(HandlingMode chosen) {
    if (!(mode instanceof HandlingMode.Transactional)) {
      throw new IllegalArgumentException(
          "'%s' has a mode already; expected one of leased() and inline(), once".formatted(queue));
    }
    this.mode = chosen;
    return this;
  }

  /**
   * How long a leased handler may run: after that it is interrupted, and the attempt has failed. 1
   * ms to 30 days; defaults to no limit.
   */
  public SubscriptionBuilder handlerTimeout(Duration timeout) {
    this.handlerTimeout = TIMEOUTS.check("handlerTimeout", timeout);
    return this;
  }

  /**
   * Adds middleware around the handlers of this subscription, inside the inbox's middleware and the
   * middleware added before.
   */
  public SubscriptionBuilder middleware(EventMiddleware middleware) {
    this.middleware.add(middleware);
    return this;
  }

  @Override
  SubscriptionBuilder self() {
    return this;
  }

  /**
   * @param process the name of this process
   */
  EndpointConfig build(String process, TopicNames topics) {
    if (events.isEmpty()) {
      throw new IllegalArgumentException(
          "the subscription of '%s' has no events; add some with on(…) or receive(…)"
              .formatted(queue));
    }
    OrderingKeySource orderingKey = orderingKey();
    boolean ordered = !(orderingKey instanceof OrderingKeySource.None);
    if (ordered && consumers > 1) {
      throw new IllegalArgumentException(
          "'%s' is ordered and has %d consumers; several consumers lose the order of arrival, expected 1"
              .formatted(queue, consumers));
    }
    EventDispatcher handlers = dispatcher.build();
    if (handlers.hasBatchHandlers()) {
      middleware.forEach(this::requireBatches);
    }
    HandlingMode handling = checkedMode(handlers);
    EventTypes<IntegrationEvent> known = types.build();
    requireKnown("a retry policy", retryByEvent.keySet(), known);
    requireKnown("an upcaster", upcastEvents, known);
    requireKnown("a limit of concurrency", concurrencyByEvent.keySet(), known);
    return new EndpointConfig(
        new ReceiveEndpoint(
            queue, topology, bindings(known, topics), consumers, prefetch, batchSize),
        known,
        handlers,
        middleware,
        messageIdSource,
        orderingKey,
        limits,
        retry,
        retryByEvent,
        concurrencyByEvent,
        breaker,
        handling,
        concurrency,
        isolated,
        whenDead,
        pollInterval,
        maxLag,
        process);
  }

  private List<Binding> bindings(EventTypes<IntegrationEvent> known, TopicNames topics) {
    if (unbound && !bindings.isEmpty()) {
      throw new IllegalArgumentException(
          "'%s' is unbound and bound to '%s'; expected bind(…) or unbound()"
              .formatted(queue, bindings.get(0).exchange()));
    }
    if (unbound || !bindings.isEmpty() || topology.kind() == Topology.Kind.EXISTING) {
      return bindings;
    }
    return known.names().stream().sorted().map(type -> bindingTo(topics.of(type), type)).toList();
  }

  /** A topic that is named by its type has no others; any other topic may have. */
  private static Binding bindingTo(String topic, String type) {
    return new Binding(topic, topic.equals(type) ? "#" : type);
  }

  private HandlingMode checkedMode(EventDispatcher handlers) {
    if (!(mode instanceof HandlingMode.Leased leased)) {
      if (handlerTimeout != null) {
        throw new IllegalArgumentException(
            "'%s' has a handler timeout of %s, which only leased handlers can have; add leased(), or set a statement_timeout"
                .formatted(queue, handlerTimeout));
      }
      return mode;
    }
    if (handlers.hasBatchHandlers()) {
      throw new IllegalArgumentException(
          "'%s' is leased and has a handler of batches, which needs a transaction; expected on(…) instead of onBatch(…), or no leased()"
              .formatted(queue));
    }
    return new HandlingMode.Leased(leased.lease(), handlerTimeout);
  }

  private void requireBatches(EventMiddleware around) {
    boolean overrides =
        Arrays.stream(around.getClass().getMethods())
            .anyMatch(
                method ->
                    method.getName().equals("handleBatch")
                        && method.getDeclaringClass() != EventMiddleware.class);
    if (!overrides) {
      throw new IllegalArgumentException(
          "'%s' has a handler of batches, but the middleware %s runs around single events only; override its handleBatch"
              .formatted(queue, around.getClass().getName()));
    }
  }

  private void requireKnown(
      String what,
      Set<Class<? extends IntegrationEvent>> named,
      EventTypes<IntegrationEvent> known) {
    for (Class<? extends IntegrationEvent> event : named) {
      if (!events.contains(event)) {
        throw new IllegalArgumentException(
            "%s has %s but is not an event of '%s'; registered are: %s"
                .formatted(event.getName(), what, queue, known));
      }
    }
  }
}
