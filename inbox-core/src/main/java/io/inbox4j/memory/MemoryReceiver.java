package io.inbox4j.memory;

import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.ReceiverState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the deliveries of a queue on, in a thread for each consumer. */
final class MemoryReceiver implements InboxTransport.Receiver {

  private static final Logger log = LoggerFactory.getLogger(InMemoryTransport.class);
  private static final long PAUSE_MILLIS = 20;

  private final ReceiveEndpoint endpoint;
  private final DeliveryReceiver<?> deliveryReceiver;
  private final ConnectionListener listener;
  private final MemoryQueue queue;
  private final List<Thread> consumers = new ArrayList<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** What consumers have taken and not acknowledged; each batch is itself and equals no other. */
  private final List<Batch> inFlight = new ArrayList<>();

  private volatile @Nullable String failure;

  private static final class Batch {

    final List<Delivery> deliveries;

    Batch(List<Delivery> deliveries) {
      this.deliveries = deliveries;
    }
  }

  MemoryReceiver(
      ReceiveEndpoint endpoint,
      DeliveryReceiver<?> deliveryReceiver,
      ConnectionListener listener,
      MemoryQueue queue) {
    this.endpoint = endpoint;
    this.deliveryReceiver = deliveryReceiver;
    this.listener = listener;
    this.queue = queue;
  }

  void start() {
    for (int i = 0; i < endpoint.consumers(); i++) {
      Thread consumer = new Thread(this::consume, "inbox-memory-" + endpoint.queue());
      consumer.setDaemon(true);
      consumers.add(consumer);
      consumer.start();
    }
    tell(it -> it.connected(endpoint.queue()));
  }

  boolean receives(String name) {
    return !isClosing() && endpoint.queue().equals(name);
  }

  /** Hands deliveries over in the calling thread. */
  void deliver(List<Delivery> deliveries) {
    deliveryReceiver.store(deliveries.stream().map(deliveryReceiver::check).toList());
  }

  private void consume() {
    while (!isClosing()) {
      try {
        if (canStore()) {
          store(taken(queue.take(endpoint.batchSize(), this::isClosing)));
        }
      } catch (InterruptedException e) { // closing says whether it is over
        log.debug("A consumer of {} was interrupted", endpoint.queue());
      }
    }
  }

  private boolean canStore() throws InterruptedException {
    try {
      deliveryReceiver.probe();
      return true;
    } catch (StoreUnavailableException e) {
      failed(e);
      return false;
    } catch (Throwable e) { // storing deliveries will tell
      return true;
    }
  }

  /** Offers a batch until it is stored, or somebody else has it. */
  private void store(Batch batch) throws InterruptedException {
    while (isInFlight(batch)) {
      try {
        deliver(batch.deliveries);
        acknowledge(batch);
        failure = null;
        return;
      } catch (Throwable e) { // whatever it is, the deliveries are not stored
        Thread.interrupted();
        failed(e);
      }
      if (isClosing()) {
        putBack(List.of(batch));
      }
    }
  }

  private void failed(Throwable e) throws InterruptedException {
    failure = LoggedFailure.kind(e);
    closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private Batch taken(List<Delivery> deliveries) {
    Batch batch = new Batch(deliveries);
    synchronized (inFlight) {
      if (isClosing()) { // close() may have put back all that it saw
        queue.putBack(deliveries);
      } else if (!deliveries.isEmpty()) {
        inFlight.add(batch);
      }
    }
    return batch;
  }

  private boolean isInFlight(Batch batch) {
    synchronized (inFlight) {
      return inFlight.contains(batch);
    }
  }

  /** Does nothing if the broker has the deliveries back. */
  private void acknowledge(Batch batch) {
    synchronized (inFlight) {
      inFlight.remove(batch);
    }
  }

  private void putBack(List<Batch> batches) {
    synchronized (inFlight) {
      for (int i = batches.size() - 1; i >= 0; i--) {
        if (inFlight.remove(batches.get(i))) {
          queue.putBack(batches.get(i).deliveries);
        }
      }
    }
  }

  private void putBackAll() {
    synchronized (inFlight) {
      putBack(List.copyOf(inFlight));
    }
  }

  /** Loses the connection, and has a new one at once. */
  void disconnect(Throwable cause) {
    if (!isClosing()) {
      putBackAll();
      tell(it -> it.disconnected(endpoint.queue(), cause));
      tell(it -> it.connected(endpoint.queue()));
    }
  }

  private void tell(Consumer<ConnectionListener> event) {
    try {
      event.accept(listener);
    } catch (Throwable e) {
      log.error("A listener of {} failed", endpoint.queue(), LoggedFailure.of(e));
    }
  }

  @Override
  public ReceiverState state() {
    return isClosing()
        ? new ReceiverState(false, 0, "closed")
        : new ReceiverState(true, endpoint.consumers(), failure);
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  @Override
  public void close(Duration deadline) {
    long until = System.nanoTime() + deadline.toNanos();
    closing.countDown();
    try {
      for (Thread consumer : consumers) {
        TimeUnit.NANOSECONDS.timedJoin(consumer, until - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    putBackAll();
  }
}
