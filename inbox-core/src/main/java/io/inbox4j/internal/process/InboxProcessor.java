package io.inbox4j.internal.process;

import io.inbox4j.error.InboxException;
import io.inbox4j.format.EventReader;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.endpoint.HandlingMode;
import io.inbox4j.internal.lease.LeasedWorkerPool;
import io.inbox4j.internal.limit.AdaptiveBatchSize;
import io.inbox4j.internal.limit.AdmissionControl;
import io.inbox4j.internal.limit.Circuit;
import io.inbox4j.internal.limit.ClaimThrottle;
import io.inbox4j.internal.limit.ConcurrencyLimit;
import io.inbox4j.internal.limit.WorkSignal;
import io.inbox4j.internal.log.FailureLog;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.internal.pool.StuckHandlers;
import io.inbox4j.internal.pool.WorkerPool;
import io.inbox4j.internal.publish.MessageWriter;
import io.inbox4j.internal.receive.DeliveryWriter;
import io.inbox4j.internal.run.HandlerInvoker;
import io.inbox4j.internal.run.OutcomeReporter;
import io.inbox4j.internal.run.TransactionLosses;
import io.inbox4j.internal.run.WorkerContext;
import io.inbox4j.retry.CircuitState;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.WorkStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes stored messages: runs the worker pools of all endpoints that have handlers.
 *
 * <p>Every endpoint has its own workers. Any number of processors, in any number of processes, can
 * share a store. {@link #start}, {@link #withdraw} and {@link #close} are called by one thread at a
 * time; it is closed once.
 */
public final class InboxProcessor {

  private static final Logger log = LoggerFactory.getLogger(InboxProcessor.class);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final List<EndpointConfig> configs;
  private final EventReader reader;
  private final MessageWriter writer;
  private final InboxStore store;
  private final SafeListener listener;
  private final FailureLog failures;
  private final @Nullable Integer maxConcurrency;
  private volatile Map<String, EndpointRuntime> runtimes;
  private WorkStore.@Nullable Watch watch;
  private @Nullable DuePoller poller;
  private volatile boolean stopping;

  /** An endpoint's workers and their shared state. */
  private record EndpointRuntime(
      WorkSignal signal, Circuit circuit, WorkerPool workerPool, DeliveryWriter storing) {}

  /**
   * @param writer writes what handlers publish
   * @param failures logs the failures of handlers
   * @param maxConcurrency the maximum number of handlers that run concurrently across all
   *     endpoints, or null for no limit
   */
  public InboxProcessor(
      List<EndpointConfig> configs,
      EventReader reader,
      MessageWriter writer,
      InboxStore store,
      SafeListener listener,
      FailureLog failures,
      @Nullable Integer maxConcurrency) {
    this.configs = List.copyOf(configs);
    this.reader = reader;
    this.writer = writer;
    this.store = store;
    this.listener = listener;
    this.failures = failures;
    this.maxConcurrency = maxConcurrency;
    this.runtimes = newRuntimes();
  }

  private Map<String, EndpointRuntime> newRuntimes() {
    ConcurrencyLimit all =
        maxConcurrency == null ? ConcurrencyLimit.unlimited() : ConcurrencyLimit.of(maxConcurrency);
    Map<String, EndpointRuntime> created = new LinkedHashMap<>();
    configs.forEach(it -> created.put(it.endpoint(), runtime(it, all)));
    return created;
  }

  private EndpointRuntime runtime(EndpointConfig config, ConcurrencyLimit all) {
    HandlerInvoker handlers = new HandlerInvoker(config, reader, writer, listener);
    WorkSignal signal = new WorkSignal();
    Circuit circuit = new Circuit(config.endpoint(), config.breaker(), listener);
    AdmissionControl admissionControl = new AdmissionControl(config, all, circuit, signal);
    OutcomeReporter outcomes =
        new OutcomeReporter(config.endpoint(), listener, signal, circuit, failures);
    WorkerContext context = new WorkerContext(config, handlers, store, admissionControl, outcomes);
    WorkerPool workerPool =
        config.mode() instanceof HandlingMode.Leased mode
            ? new LeasedWorkerPool(context, mode)
            : workers(context);
    DeliveryWriter storing =
        config.mode() instanceof HandlingMode.Inline
            ? new InlineWriter(
                context,
                new InlineSlots(() -> Math.min(workerPool.size(), lowestLimit(config))),
                () -> stopping)
            : DeliveryWriter.in(store, config.endpoint());
    return new EndpointRuntime(signal, circuit, workerPool, storing);
  }

  /**
   * The lowest limit on handlers of the endpoint. More inline transactions at once than that would
   * refuse each other the permits, and leave their messages to the workers.
   */
  private int lowestLimit(EndpointConfig config) {
    return IntStream.concat(
            config.concurrencyByEvent().values().stream().mapToInt(it -> it),
            IntStream.of(maxConcurrency == null ? Integer.MAX_VALUE : maxConcurrency))
        .min()
        .getAsInt();
  }

  private static WorkerPool workers(WorkerContext context) {
    ClaimThrottle claimThrottle = new ClaimThrottle(context.signal());
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(context.config().transactionSize());
    TransactionLosses losses = new TransactionLosses(context.endpoint(), context.store());
    return new TransactionalWorkerPool(
        context.endpoint(),
        context.config().workers(),
        () -> new Worker(context, claimThrottle, batchSizes, losses));
  }

  /**
   * Starts the workers. They run until {@link #close} or {@link #withdraw}, and keep the process
   * alive. Those methods also stop what was started before an exception.
   */
  public void start() {
    watch =
        store.watch(this::wake, () -> runtimes.values().forEach(runtime -> runtime.signal.raise()));
    runtimes.values().forEach(runtime -> runtime.workerPool.start());
    poller =
        new DuePoller(
                store,
                configs.stream()
                    .filter(it -> runtimes.containsKey(it.endpoint()))
                    .collect(
                        Collectors.toMap(EndpointConfig::endpoint, EndpointConfig::pollInterval)),
                this::wake)
            .start();
  }

  /** Wakes a worker of the endpoint, if it has any in this process. */
  public void wake(String endpoint) {
    EndpointRuntime runtime = runtimes.get(endpoint);
    if (runtime != null) {
      runtime.signal.raise();
    }
  }

  /** The writer that stores deliveries of the endpoint. */
  public DeliveryWriter storing(String endpoint) {
    EndpointRuntime runtime = runtimes.get(endpoint);
    return runtime == null ? DeliveryWriter.in(store, endpoint) : runtime.storing;
  }

  /** The maximum number of handlers of the endpoint that run concurrently. */
  public int concurrency(String endpoint) {
    return of(endpoint).workerPool.size();
  }

  /** How many handlers of the endpoint can run concurrently right now. */
  public int alive(String endpoint) {
    return of(endpoint).workerPool.alive();
  }

  /** The handlers of the endpoint that have not returned although their timeout has passed. */
  public StuckHandlers stuck(String endpoint) {
    return of(endpoint).workerPool.stuck();
  }

  /** Changes the maximum number of handlers of the endpoint that run concurrently. */
  public void concurrency(String endpoint, int handlers) {
    if (handlers < 1 || handlers > EndpointConfig.MAX_WORKERS) {
      throw new IllegalArgumentException(
          "the concurrency is %d; expected 1 to %,d"
              .formatted(handlers, EndpointConfig.MAX_WORKERS));
    }
    of(endpoint).workerPool.resize(handlers);
  }

  /** The state of the endpoint's circuit breaker. */
  public CircuitState circuit(String endpoint) {
    return of(endpoint).circuit.state();
  }

  private EndpointRuntime of(String endpoint) {
    EndpointRuntime runtime = runtimes.get(endpoint);
    if (runtime == null) {
      throw new InboxException("'%s' has no handlers here".formatted(endpoint));
    }
    return runtime;
  }

  /** Stops new work, including inline handling of received messages; does not wait. */
  public void stop() {
    stopping = true;
    runtimes.values().forEach(runtime -> runtime.workerPool.stop());
  }

  /**
   * Stops claiming, lets work in flight finish until the deadline, then interrupts it and rolls it
   * back. A second call does nothing.
   */
  public void close(Duration deadline) {
    if (poller != null) {
      poller.close();
    }
    if (watch != null) {
      watch.close();
    }
    stop();
    runtimes.values().forEach(runtime -> runtime.signal.close());
    if (!join(Deadline.in(deadline))) {
      runtimes.values().forEach(runtime -> runtime.workerPool.interrupt());
      if (!join(Deadline.in(GRACE))) {
        log.error(
            "Some handlers did not return within {} and ignore the interrupt; what they did in the"
                + " database is undone when their connection closes.",
            deadline);
      }
    }
  }

  /** Stops as {@link #close} does, but can be started again, with the same concurrency. */
  public void withdraw(Duration deadline) {
    close(deadline);
    Map<String, EndpointRuntime> next = newRuntimes();
    runtimes.forEach(
        (endpoint, runtime) -> next.get(endpoint).workerPool.resize(runtime.workerPool.size()));
    watch = null;
    poller = null;
    runtimes = next;
    stopping = false;
  }

  private boolean join(Deadline deadline) {
    boolean ended = true;
    for (EndpointRuntime runtime : runtimes.values()) {
      ended &= runtime.workerPool.join(deadline);
    }
    return ended;
  }
}
