package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.InboxException;
import io.inbox4j.IntegrationEvent;
import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.Intake;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores what a channel delivers, and acknowledges it; it does nothing else.
 *
 * <p>The connection's thread checks deliveries and puts them into a buffer. Meanwhile a thread of
 * the consumer's own takes whatever has arrived, has it stored in one transaction, and acknowledges
 * it as a whole: what it takes is always the oldest of what the channel has delivered. Batches
 * begin a moment apart, so that what comes one by one and fast is stored together. While the
 * database is away the deliveries stay unacknowledged, and the broker stops sending at the
 * prefetch.
 *
 * <p>The channel is this consumer's alone.
 *
 * @param <T> what the endpoint's events are
 */
public final class InboxConsumer<T extends IntegrationEvent> extends DefaultConsumer {

  private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);
  private static final Duration MIN_BACKOFF = Duration.ofMillis(50);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(2);
  private static final Duration GLANCE = Duration.ofMillis(100);
  private static final Duration APART = Duration.ofMillis(2);
  private static final int MANY = 100;

  private final String queue;
  private final Intake<T> intake;
  private final int batchSize;
  private final boolean singleActive;
  private final BlockingQueue<Checked> buffer = new LinkedBlockingQueue<>();
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread persister;
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicLong stored = new AtomicLong();
  private Duration apart = APART;
  private volatile long lastDelivery = System.nanoTime();

  /** A delivery that waits to be stored. */
  private record Checked(long tag, Arrival arrival) {}

  /**
   * A consumer for a channel that nobody else uses; {@link #start} begins.
   *
   * @param queue the queue
   * @param intake where deliveries are stored
   * @param batchSize how many deliveries are stored in one transaction at most
   */
  public InboxConsumer(Channel channel, String queue, Intake<T> intake, int batchSize) {
    this(channel, queue, intake, batchSize, false);
  }

  /**
   * @param singleActive whether another consumer takes over as soon as this one is cancelled; then
   *     it must not be cancelled before everything in its hand is stored, to keep the order
   */
  InboxConsumer(
      Channel channel, String queue, Intake<T> intake, int batchSize, boolean singleActive) {
    super(channel);
    this.singleActive = singleActive;
    this.queue = queue;
    this.intake = intake;
    this.batchSize = batchSize;
    this.persister = new Thread(this::persist, "inbox-consumer-" + queue);
  }

  /** Begins to consume, with this many unacknowledged deliveries in hand at most. */
  public void start(int prefetch) throws IOException {
    getChannel().basicQos(prefetch);
    apart = Math.min(prefetch, batchSize) < MANY ? Duration.ZERO : APART; // few fill it at once
    persister.start();
    getChannel().basicConsume(queue, false, this);
  }

  /** Completes when the consumer can go on no longer, with what stopped it. */
  public CompletableFuture<Throwable> failure() {
    return failure;
  }

  /** Whether the broker has confirmed the consumer, and nothing has stopped it. */
  boolean isConsuming() {
    return getConsumerTag() != null && getChannel().isOpen() && !failure.isDone();
  }

  /** How many deliveries were stored and acknowledged. */
  public long stored() {
    return stored.get();
  }

  /** Whether nothing is in hand, and nothing has come for this long. */
  boolean isIdleFor(Duration time) {
    return delivered.get() == stored.get() && System.nanoTime() - lastDelivery > time.toNanos();
  }

  @Override
  public void handleDelivery(
      String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
    if (singleActive && closing.getCount() == 0) {
      return; // stays unacknowledged, for the consumer that takes over
    }
    lastDelivery = System.nanoTime();
    delivered.incrementAndGet();
    try {
      Arrival arrival = intake.check(new AmqpDelivery(envelope, properties, body).toDelivery());
      buffer.add(new Checked(envelope.getDeliveryTag(), arrival));
    } catch (Throwable e) { // out of memory, say: the supervisor gets it and starts anew
      failure.complete(e);
    }
  }

  @Override
  public void handleCancel(String consumerTag) {
    failure.complete(
        new IOException("the broker cancelled the consumer: the queue was deleted, or has moved"));
  }

  @Override
  public void handleShutdownSignal(String consumerTag, ShutdownSignalException signal) {
    failure.complete(signal);
  }

  private void persist() {
    try {
      List<Checked> batch = new ArrayList<>(batchSize);
      long next = System.nanoTime();
      while (!failure.isDone()) {
        Checked first = buffer.poll(GLANCE.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          batch.add(first);
          closing.await(next - System.nanoTime(), TimeUnit.NANOSECONDS);
          next = System.nanoTime() + apart.toNanos();
          buffer.drainTo(batch, batchSize - 1);
          store(batch);
          batch.clear();
        } else if (closing.getCount() == 0 && delivered.get() == stored.get()) {
          return; // nothing is being checked either
        }
      }
    } catch (InterruptedException e) {
      failure.complete(e); // unless it is being closed, the supervisor starts anew
    } catch (Throwable e) { // whatever it is, the supervisor gets it and starts anew
      failure.complete(e);
    }
  }

  private void store(List<Checked> batch) throws IOException, InterruptedException {
    Duration backoff = MIN_BACKOFF;
    while (!failure.isDone()) {
      try {
        intake.store(batch.stream().map(Checked::arrival).toList());
        acknowledge(batch);
        return;
      } catch (InboxException e) { // to give the deliveries back would use up their delivery limit
        log.warn(
            "{} deliveries of {} wait, unacknowledged, for the store; trying again in {}: {}",
            batch.size(),
            queue,
            backoff,
            e.getMessage());
        if (closing.await(backoff.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new IOException("closed while the store was away", e);
        }
        backoff = backoff.multipliedBy(2);
        backoff = backoff.compareTo(MAX_BACKOFF) > 0 ? MAX_BACKOFF : backoff;
      }
    }
  }

  private void acknowledge(List<Checked> batch) throws IOException {
    try {
      getChannel().basicAck(batch.get(batch.size() - 1).tag(), true);
      stored.addAndGet(batch.size());
    } catch (AlreadyClosedException e) {
      failure.complete(e); // stored, and delivered again: duplicates change nothing
    }
  }

  /**
   * Stops taking, and stores and acknowledges what is in hand until the deadline. The channel stays
   * open.
   */
  public void close(Duration deadline) {
    long until = System.nanoTime() + deadline.toNanos();
    try {
      cancel(deadline);
      closing.countDown();
      persister.join(Math.max(1, (until - System.nanoTime()) / 1_000_000));
      if (persister.isAlive()) {
        persister.interrupt();
      }
    } catch (InterruptedException e) {
      closing.countDown();
      Thread.currentThread().interrupt();
    }
  }

  /** Whether its thread has something in hand; it may have been told to end. */
  boolean isStoring() {
    return persister.isAlive();
  }

  /** Waits until what is being stored is stored, or the time is over. */
  void awaitEnd(Duration time) throws InterruptedException {
    persister.join(Math.max(1, time.toMillis()));
  }

  /** Asks the broker to send no more, and waits a little for its word that it does not. */
  private void cancel(Duration deadline) throws InterruptedException {
    if (singleActive || !getChannel().isOpen() || getConsumerTag() == null) {
      return;
    }
    Duration patience = deadline.compareTo(CANCEL_PATIENCE) < 0 ? deadline : CANCEL_PATIENCE;
    try {
      getChannel()
          .asyncCompletableRpc(
              new AMQP.Basic.Cancel.Builder().consumerTag(getConsumerTag()).build())
          .get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException | ExecutionException | AlreadyClosedException e) {
      log.debug("The consumer of {} could not be cancelled; its channel is gone", queue, e);
    } catch (TimeoutException e) {
      log.warn("The broker does not say that the consumer of {} is cancelled", queue);
    }
  }
}
