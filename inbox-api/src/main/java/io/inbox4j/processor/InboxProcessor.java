package io.inbox4j.processor;

import io.inbox4j.event.EventReader;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.store.InboxStore;
import java.time.Duration;
import java.util.ArrayList;
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
 * share the store. {@link #start} and {@link #close} are called once each, by one thread.
 */
public final class InboxProcessor {

  private static final Logger log = LoggerFactory.getLogger(InboxProcessor.class);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final List<Workload> workloads;
  private final EventReader reader;
  private final InboxStore store;
  private final SafeListener listener;
  private final Map<String, Signal> signals = new LinkedHashMap<>();
  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private InboxStore.@Nullable Watch watch;

  public InboxProcessor(
      List<Workload> workloads, EventReader reader, InboxStore store, SafeListener listener) {
    this.workloads = List.copyOf(workloads);
    this.reader = reader;
    this.store = store;
    this.listener = listener;
    workloads.forEach(workload -> signals.put(workload.endpoint(), new Signal()));
  }

  /** Starts the workers. They run until {@link #close}, and keep the process alive. */
  public void start() {
    watch = store.watch(this::wake, () -> signals.values().forEach(Signal::raise));
    for (Workload workload : workloads) {
      Signal signal = signalOf(workload.endpoint());
      for (int i = 1; i <= workload.workers(); i++) {
        Worker worker = new Worker(workload, reader, store, listener, signal);
        workers.add(worker);
        Thread thread = new Thread(worker, "inbox-worker-" + workload.endpoint() + "-" + i);
        threads.add(thread);
        thread.start();
      }
    }
  }

  /** Wakes a worker of the endpoint, if it has any here. */
  public void wake(String endpoint) {
    Signal signal = signals.get(endpoint);
    if (signal != null) {
      signal.raise();
    }
  }

  /**
   * Stops claiming, lets the batches in hand end until the deadline, then interrupts and undoes
   * them. A second call does nothing.
   */
  public void close(Duration deadline) {
    long until = System.nanoTime() + deadline.toNanos();
    if (watch != null) {
      watch.close();
    }
    workers.forEach(Worker::stop);
    signals.values().forEach(Signal::close);
    if (!join(until)) {
      threads.forEach(Thread::interrupt);
      if (!join(System.nanoTime() + GRACE.toNanos())) {
        log.error(
            "Some handlers did not return within {} and ignore the interrupt; what they did in the"
                + " database is undone when their connection closes.",
            deadline);
      }
    }
  }

  private boolean join(long until) {
    boolean ended = true;
    for (Thread thread : threads) {
      long left = Math.max(1, (until - System.nanoTime()) / 1_000_000);
      try {
        thread.join(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      ended &= !thread.isAlive();
    }
    return ended;
  }

  private Signal signalOf(String endpoint) {
    return signals.computeIfAbsent(endpoint, name -> new Signal());
  }
}
