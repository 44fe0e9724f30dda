package io.inbox4j.internal.process;

import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.pool.WorkerPool;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A worker pool with one thread per worker of an endpoint. */
final class TransactionalWorkerPool implements WorkerPool {

  private final String endpoint;
  private final Supplier<Worker> newWorker;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private int size;
  private int started;
  private boolean running;

  TransactionalWorkerPool(String endpoint, int size, Supplier<Worker> newWorker) {
    this.endpoint = endpoint;
    this.size = size;
    this.newWorker = newWorker;
  }

  @Override
  public synchronized void start() {
    running = true;
    startMissing();
  }

  private void startMissing() {
    while (workers.size() < size) {
      Worker worker = newWorker.get();
      workers.add(worker);
      Thread thread = new Thread(worker, "inbox-worker-" + endpoint + "-" + ++started);
      threads.add(thread);
      thread.start();
    }
  }

  @Override
  public synchronized int size() {
    return size;
  }

  @Override
  public synchronized int alive() {
    return (int) Math.min(size, threads.stream().filter(Thread::isAlive).count());
  }

  @Override
  public synchronized void resize(int count) {
    size = count;
    if (!running) {
      return;
    }
    while (workers.size() > size) {
      workers.remove(workers.size() - 1).stop();
    }
    threads.removeIf(thread -> !thread.isAlive());
    startMissing();
  }

  @Override
  public synchronized void stop() {
    running = false;
    workers.forEach(Worker::stop);
  }

  @Override
  public boolean join(Deadline deadline) {
    return deadline.join(current());
  }

  @Override
  public void interrupt() {
    current().forEach(Thread::interrupt);
  }

  private synchronized List<Thread> current() {
    return List.copyOf(threads);
  }
}
