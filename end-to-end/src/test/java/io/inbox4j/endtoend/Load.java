package io.inbox4j.endtoend;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A producer that publishes orders without end, up to 2,000 a second, connects again when the
 * broker is away, and repeats whatever was not confirmed. What the broker has confirmed must not be
 * lost.
 */
final class Load implements AutoCloseable {

  private static final int BATCH = 20;
  private static final long PAUSE_MILLIS = 100;
  private static final long BREATH_MILLIS = 10;

  private final String amqp;
  private final String queue;
  private final int limit;
  private final Set<String> confirmed = new ConcurrentSkipListSet<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final Thread thread = new Thread(this::run, "load");
  private final CountDownLatch stopped = new CountDownLatch(1);

  private Load(String amqp, String queue, int limit) {
    this.amqp = amqp;
    this.queue = queue;
    this.limit = limit;
  }

  static Load start(String amqp, String queue) {
    return start(amqp, queue, Integer.MAX_VALUE);
  }

  /** Publishes this many orders at most, so that all can be handled in reasonable time. */
  static Load start(String amqp, String queue, int limit) {
    Load load = new Load(amqp, queue, limit);
    load.thread.start();
    return load;
  }

  /** How many orders the broker has taken over. */
  int confirmed() {
    return confirmed.size();
  }

  /** How often the connection was lost or could not be made. */
  int failures() {
    return failures.get();
  }

  /** Stops, and returns all orders that the broker has taken over, sorted. */
  List<String> stop() throws InterruptedException {
    stopped.countDown();
    thread.join();
    return new ArrayList<>(confirmed);
  }

  private void run() {
    int next = 0;
    do {
      try (Publisher publisher = new Publisher(amqp, queue)) {
        while (next < limit && !isStoppedWithin(BREATH_MILLIS)) {
          next = publishFrom(publisher, next);
        }
      } catch (Exception e) { // the broker is away: the same orders again
        failures.incrementAndGet();
      }
    } while (next < limit && !isStoppedWithin(PAUSE_MILLIS));
  }

  private boolean isStoppedWithin(long millis) {
    try {
      return stopped.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private int publishFrom(Publisher publisher, int next) throws Exception {
    List<String> batch = new ArrayList<>();
    for (int i = next; i < next + BATCH; i++) {
      batch.add("o%06d".formatted(i));
    }
    for (String order : batch) {
      publisher.send(order);
    }
    publisher.confirm();
    confirmed.addAll(batch);
    return next + BATCH;
  }

  @Override
  public void close() throws InterruptedException {
    stop();
  }
}
