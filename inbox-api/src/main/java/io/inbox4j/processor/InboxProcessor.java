package io.inbox4j.processor;

import io.inbox4j.InboxException;
import io.inbox4j.event.EventReader;
import io.inbox4j.internal.FailureLog;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.receive.internal.Storing;
import io.inbox4j.store.InboxStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker pool: claims stored messages and runs their handlers.
 *
 * <p>Every endpoint has its own workers. Any number of processors, in any number of processes,
 * share the store. {@link #start}, {@link #withdraw} and {@link #close} are called by one thread at
 * a time; it is closed once.
 */
public final class InboxProcessor {

  private static final Logger log = LoggerFactory.getLogger(InboxProcessor.class);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final List<Workload> workloads;
  private final EventReader reader;
  private final InboxStore store;
  private final SafeListener listener;
  private final FailureLog failures;
  private final @Nullable Integer maxConcurrency;
  private volatile Map<String, Post> posts;
  private InboxStore.@Nullable Watch watch;
  private volatile boolean stopping;

  /** An endpoint's workers, and what they share. */
  private record Post(Signal signal, Circuit circuit, Crew crew, Storing storing) {}

  /**
   * @param failures how failures of handlers are logged
   * @param maxConcurrency how many handlers of all endpoints run at once at most, or null
   */
  public InboxProcessor(
      List<Workload> workloads,
      EventReader reader,
      InboxStore store,
      SafeListener listener,
      FailureLog failures,
      @Nullable Integer maxConcurrency) {
    this.workloads = List.copyOf(workloads);
    this.reader = reader;
    this.store = store;
    this.listener = listener;
    this.failures = failures;
    this.maxConcurrency = maxConcurrency;
    this.posts = newPosts();
  }

  private Map<String, Post> newPosts() {
    Permits all = maxConcurrency == null ? Permits.unlimited() : Permits.of(maxConcurrency);
    Map<String, Post> allPosts = new LinkedHashMap<>();
    workloads.forEach(it -> allPosts.put(it.endpoint(), post(it, all)));
    return allPosts;
  }

  private Post post(Workload workload, Permits all) {
    Handlers handlers = new Handlers(workload, reader, listener);
    Signal signal = new Signal();
    Circuit circuit = new Circuit(workload.endpoint(), workload.breaker(), listener);
    Gate gate = new Gate(workload, all, circuit, signal);
    Outcomes outcomes = new Outcomes(workload.endpoint(), listener, signal, circuit, failures);
    Crew crew =
        workload.mode() instanceof HandlingMode.Leased mode
            ? new LeasedCrew(workload, mode, handlers, store, listener, signal, gate, outcomes)
            : workers(workload, handlers, signal, gate, outcomes);
    Storing storing =
        workload.mode() instanceof HandlingMode.Inline
            ? new InlineHandling(
                workload, handlers, store, listener, gate, outcomes, () -> stopping)
            : Storing.in(store, workload.endpoint());
    return new Post(signal, circuit, crew, storing);
  }

  private Crew workers(
      Workload workload, Handlers handlers, Signal signal, Gate gate, Outcomes outcomes) {
    Turns turns = new Turns(signal);
    Pace pace = new Pace(workload.transactionSize());
    Losses losses = new Losses(workload.endpoint(), store);
    return new Workers(
        workload.endpoint(),
        workload.workers(),
        () ->
            new Worker(
                workload, handlers, store, listener, signal, gate, turns, pace, outcomes, losses));
  }

  /**
   * Starts the workers. They run until {@link #close} or {@link #withdraw}, and keep the process
   * alive. What was started before an exception is left to those as well.
   */
  public void start() {
    watch = store.watch(this::wake, () -> posts.values().forEach(post -> post.signal.raise()));
    posts.values().forEach(post -> post.crew.start());
  }

  /** Wakes a worker of the endpoint, if it has any here. */
  public void wake(String endpoint) {
    Post post = posts.get(endpoint);
    if (post != null) {
      post.signal.raise();
    }
  }

  /** How deliveries of the endpoint are stored. */
  public Storing storing(String endpoint) {
    Post post = posts.get(endpoint);
    return post == null ? Storing.in(store, endpoint) : post.storing;
  }

  /** How many handlers of the endpoint run at once at most. */
  public int concurrency(String endpoint) {
    return of(endpoint).crew.size();
  }

  /** How many handlers of the endpoint can run at once right now. */
  public int alive(String endpoint) {
    return of(endpoint).crew.alive();
  }

  /** The handlers of the endpoint that do not return though their time is up. */
  public StuckHandlers stuck(String endpoint) {
    return of(endpoint).crew.stuck();
  }

  /** Lets this many handlers of the endpoint run at once. */
  public void concurrency(String endpoint, int handlers) {
    if (handlers < 1 || handlers > Workload.MAX_WORKERS) {
      throw new IllegalArgumentException(
          "the concurrency is %d; expected 1 to %,d".formatted(handlers, Workload.MAX_WORKERS));
    }
    of(endpoint).crew.resize(handlers);
  }

  /** What the endpoint's circuit breaker lets through. */
  public CircuitState circuit(String endpoint) {
    return of(endpoint).circuit.state();
  }

  private Post of(String endpoint) {
    Post post = posts.get(endpoint);
    if (post == null) {
      throw new InboxException("'%s' has no handlers here".formatted(endpoint));
    }
    return post;
  }

  /** Lets nobody begin with anything new, also where messages are received; does not wait. */
  public void stop() {
    stopping = true;
    posts.values().forEach(post -> post.crew.stop());
  }

  /**
   * Stops claiming, lets what is in hand end until the deadline, then interrupts and undoes it. A
   * second call does nothing.
   */
  public void close(Duration deadline) {
    long until = System.nanoTime() + deadline.toNanos();
    if (watch != null) {
      watch.close();
    }
    stop();
    posts.values().forEach(post -> post.signal.close());
    if (!join(until)) {
      posts.values().forEach(post -> post.crew.interrupt());
      if (!join(System.nanoTime() + GRACE.toNanos())) {
        log.error(
            "Some handlers did not return within {} and ignore the interrupt; what they did in the"
                + " database is undone when their connection closes.",
            deadline);
      }
    }
  }

  /** Stops as {@link #close} does, and can be started again, with as many handlers as it had. */
  public void withdraw(Duration deadline) {
    close(deadline);
    Map<String, Post> next = newPosts();
    posts.forEach((endpoint, post) -> next.get(endpoint).crew.resize(post.crew.size()));
    watch = null;
    posts = next;
    stopping = false;
  }

  private boolean join(long until) {
    boolean ended = true;
    for (Post post : posts.values()) {
      ended &= post.crew.join(until);
    }
    return ended;
  }
}
