package io.inbox4j;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventFormat;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.internal.DurationRange;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.lifecycle.InboxConfig;
import io.inbox4j.internal.log.FailureLog;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.internal.publish.MessageWriter;
import io.inbox4j.internal.registry.ThisProcess;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.operations.Retention;
import io.inbox4j.publish.WhenUnroutable;
import io.inbox4j.store.InboxStore;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveMiddleware;
import io.inbox4j.transport.TopicNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Builds an {@link Inbox} from a store, a transport, and one subscription per queue. */
public final class InboxBuilder {

  public static final Duration DEFAULT_MAX_TRANSACTION_AGE = Duration.ofMinutes(5);

  private static final int MAX_NAME_LENGTH = 255;
  private static final DurationRange UP_TO_A_DAY = DurationRange.upTo(Duration.ofDays(1));

  private @Nullable InboxStore store;
  private @Nullable InboxTransport transport;
  private JsonMapper mapper = JsonFormat.defaultMapper();
  private final List<EventFormat> formats = new ArrayList<>();
  private final SubscriptionOptions.Defaults defaults = new SubscriptionOptions.Defaults();
  private final Map<String, Consumer<SubscriptionBuilder>> subscriptions = new LinkedHashMap<>();
  private final List<EventMiddleware> middleware = new ArrayList<>();
  private final List<ReceiveMiddleware> receiveMiddleware = new ArrayList<>();
  private TopicNames topics = TopicNames.ofDefaults();
  private final List<InboxListener> listeners = new ArrayList<>();
  private @Nullable Integer maxConcurrency;
  private Duration maxTransactionAge = DEFAULT_MAX_TRANSACTION_AGE;
  private Duration closeDeadline = Inbox.DEFAULT_CLOSE_DEADLINE;
  private Retention retention = Retention.ofDefaults();
  private boolean logExceptionText;
  private @Nullable String instanceName;
  private @Nullable String source;
  private WhenUnroutable whenUnroutable = WhenUnroutable.KEEP;

  InboxBuilder() {}

  /** The store for messages. Required. The inbox closes it. */
  public InboxBuilder store(InboxStore store) {
    this.store = store;
    return this;
  }

  /** The transport that delivers messages. Required to receive. The inbox closes it. */
  public InboxBuilder transport(InboxTransport transport) {
    this.transport = transport;
    return this;
  }

  /** Subscribes to a queue with one event type. */
  public <T extends IntegrationEvent> InboxBuilder subscribe(
      String queue, Class<T> event, EventHandler<? super T> handler) {
    return subscribe(queue, subscription -> subscription.on(event, handler));
  }

  /** Subscribes to a queue, with any number of event types and options. */
  public InboxBuilder subscribe(String queue, Consumer<SubscriptionBuilder> subscription) {
    if (subscriptions.putIfAbsent(queue, subscription) != null) {
      throw new IllegalArgumentException(
          "'%s' is subscribed already; give all its events in one subscribe call".formatted(queue));
    }
    return this;
  }

  /** Changes the default options of all subscriptions. */
  public InboxBuilder defaults(Consumer<SubscriptionOptions.Defaults> options) {
    options.accept(defaults);
    return this;
  }

  /** Adds a listener, which is notified after those that were added before. */
  public InboxBuilder listener(InboxListener listener) {
    listeners.add(listener);
    return this;
  }

  /**
   * Adds middleware around the handlers of all subscriptions, inside the middleware added before.
   * Defaults to none.
   */
  public InboxBuilder middleware(EventMiddleware middleware) {
    this.middleware.add(middleware);
    return this;
  }

  /**
   * Adds middleware around the storing of deliveries of all subscriptions, inside the middleware
   * added before. Defaults to none.
   */
  public InboxBuilder receiveMiddleware(ReceiveMiddleware middleware) {
    receiveMiddleware.add(middleware);
    return this;
  }

  /**
   * How the topics are named that events are published to, and that queues are bound to. Publishers
   * and subscribers must agree. Defaults to {@link TopicNames#ofDefaults()}: the event type.
   */
  public InboxBuilder topics(TopicNames names) {
    this.topics = names;
    return this;
  }

  /**
   * The maximum number of handlers that run concurrently in this process, across all subscriptions.
   * Defaults to no limit beyond those of the subscriptions.
   */
  public InboxBuilder maxConcurrency(int handlers) {
    this.maxConcurrency =
        SubscriptionOptions.inRange("maxConcurrency", handlers, 1, EndpointConfig.MAX_WORKERS);
    return this;
  }

  /**
   * How old a transaction in the database, by any client, may get before {@link Inbox#health()}
   * reports it; nothing else depends on it. 1 ms to 366 days; defaults to 5 min.
   */
  public InboxBuilder maxTransactionAge(Duration age) {
    this.maxTransactionAge = SubscriptionOptions.UP_TO_A_YEAR.check("maxTransactionAge", age);
    return this;
  }

  /**
   * How long {@link Inbox#close()} gives work in flight to finish. What takes longer is
   * interrupted, rolled back, and handled later. Choose less than the time after which the process
   * is killed. 1 ms to 1 day; defaults to 30 s.
   */
  public InboxBuilder closeDeadline(Duration deadline) {
    this.closeDeadline = UP_TO_A_DAY.check("closeDeadline", deadline);
    return this;
  }

  /**
   * How long processed messages of the queues that are handled here are kept. Processes that run
   * handlers remove older ones in the background, one process at a time. If processes declare
   * different retentions for the same queue, the longest applies. Defaults to 7 days.
   */
  public InboxBuilder retention(Retention retention) {
    this.retention = retention;
    return this;
  }

  /**
   * Whether to log the messages of exceptions from handlers, middleware and listeners, besides
   * their classes and stack traces.
   *
   * <p><b>Such text may contain payload</b>: a database quotes the value that it rejects, a parser
   * the text that it cannot read, a URL has its parameters. It is then visible to everyone who can
   * read the logs, for as long as they are kept. Meant for development. Without it the text is
   * stored with the message only, and {@code inbox show} shows it. Defaults to false.
   */
  public InboxBuilder logExceptionText(boolean yes) {
    this.logExceptionText = yes;
    return this;
  }

  /**
   * The name of this process, by which operators recognize it in {@code inbox status} and in the
   * attempts of messages, such as the name of its pod. It need not be unique. 1 to 255 characters;
   * defaults to the host and the process id, such as {@code web-1-4711}.
   */
  public InboxBuilder instanceName(String name) {
    if (name.isBlank() || name.length() > MAX_NAME_LENGTH || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "the instance name is '%s'; expected 1 to %d characters that are not blank"
              .formatted(name, MAX_NAME_LENGTH));
    }
    this.instanceName = name;
    return this;
  }

  /**
   * The name of this application in the messages that it publishes, with RabbitMQ their app-id. 1
   * to 255 characters; defaults to none.
   */
  public InboxBuilder source(String name) {
    if (name.isBlank() || name.length() > MAX_NAME_LENGTH || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "the source is '%s'; expected 1 to %d characters that are not blank"
              .formatted(name, MAX_NAME_LENGTH));
    }
    this.source = name;
    return this;
  }

  /**
   * What happens to a published message for which the broker has no queue. Defaults to {@link
   * WhenUnroutable#KEEP}.
   */
  public InboxBuilder whenUnroutable(WhenUnroutable choice) {
    this.whenUnroutable = choice;
    return this;
  }

  /** The mapper that reads and writes JSON. Defaults to {@link JsonFormat#defaultMapper()}. */
  public InboxBuilder json(JsonMapper mapper) {
    this.mapper = mapper;
    return this;
  }

  /**
   * Adds a format, besides JSON and those that were added before. Every process that receives or
   * handles messages of its content types needs it.
   */
  public InboxBuilder format(EventFormat format) {
    formats.add(format);
    return this;
  }

  /**
   * Validates the configuration and builds the inbox, which later changes to this builder do not
   * affect. Nothing is opened before {@link Inbox#open} or {@link Inbox#start}.
   *
   * @throws IllegalArgumentException if something is missing or contradictory
   */
  public Inbox build() {
    if (store == null) {
      throw new IllegalArgumentException(
          "no store given; expected for example .store(JdbiInboxStore.create(dataSource))");
    }
    String process = instanceName == null ? ThisProcess.defaultName() : instanceName;
    List<EndpointConfig> endpoints = new ArrayList<>();
    subscriptions.forEach(
        (queue, configure) -> {
          SubscriptionBuilder builder = new SubscriptionBuilder(queue, defaults, middleware);
          configure.accept(builder);
          endpoints.add(builder.build(process, topics));
        });
    JsonFormat json = new JsonFormat(mapper);
    FailureLog failures = new FailureLog(logExceptionText, store::namesIn);
    return new Inbox(
        new InboxConfig(
            store,
            transport,
            endpoints,
            new EventReader(json, formats),
            new MessageWriter(json, topics, source),
            whenUnroutable,
            receiveMiddleware,
            new SafeListener(listeners, failures),
            failures,
            maxConcurrency,
            maxTransactionAge,
            retention,
            closeDeadline,
            process));
  }
}
