package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.internal.log.LogRateLimit;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.JvmExhaustion;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.DeliveryReceiver;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores what a channel delivers, and acknowledges it; it does nothing else.
 *
 * <p>The connection's thread checks deliveries and puts them into a buffer. Meanwhile a thread of
 * the consumer's own takes whatever has arrived, has it stored in one transaction, and acknowledges
 * it as a whole: what it takes is always the oldest of what the channel has delivered. Batches
 * begin a moment apart, so that what comes one by one and fast is stored together; they have a
 * bound in bytes, too, because a database accepts only so much at once.
 *
 * <p>While the store is away, deliveries are held for a moment. After that the consumer fails, so
 * that the broker has them back before they are overdue. Its thread goes on, whatever has stopped
 * the consumer, until what it has in hand is stored: that proves that the store is back, and the
 * next consumer is to wait for it. So an outage costs a message one delivery of each process at
 * most, however long it lasts; and what is delivered again is a duplicate.
 *
 * <p>If there is no memory for what is in hand, nothing is waited for: the consumer lets go of it
 * and fails, and the next one takes it one by one.
 *
 * <p>How many deliveries may be in hand grows as they get through, see {@link SlowStart}. To change
 * that, it consumes anew and cancels what it consumed as before, when everything in hand is stored
 * and nothing more can come that way because none of it is acknowledged. So nobody can overtake it,
 * on a queue with a single active consumer either, and a queue that the broker deletes with its
 * last consumer always has one.
 *
 * <p>The channel is this consumer's alone.
 *
 * @param <T> what the endpoint's events are
 */
public final class InboxConsumer<T extends IntegrationEvent> extends DefaultConsumer {

  private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

  /** How long deliveries are held while the store is away. */
  private static final Duration HOLD = Duration.ofSeconds(3);

  private static final Duration MIN_BACKOFF = Duration.ofMillis(50);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final Duration LOG_AGAIN = Duration.ofMinutes(1);
  private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(2);
  private static final Duration GLANCE = Duration.ofMillis(100);
  private static final Duration LULL = Duration.ofMillis(5);
  private static final Duration APART = Duration.ofMillis(2);
  private static final int MANY = 100;
  private static final long MAX_BATCH_BYTES = 16 << 20;

  private final String queue;
  private final DeliveryReceiver<T> intake;
  private final int batchSize;
  private final boolean singleActive;
  private final BlockingQueue<PendingDelivery> buffer = new LinkedBlockingQueue<>();
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread persister;
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private SlowStart slowStart = new SlowStart(1);
  private final LogRateLimit traces = new LogRateLimit(LOG_AGAIN);
  private volatile boolean ending;

  /** Since when the persister tries to store something, or null. */
  private volatile @Nullable Long trying;

  /** The oldest that the persister has taken and that is not acknowledged. */
  private volatile @Nullable PendingDelivery oldest;

  /** Those that are stored and not acknowledged yet, and the last of them. */
  private int unacknowledged;

  private long lastTag;

  /**
   * A consumer for a channel that nobody else uses; {@link #start} begins.
   *
   * @param queue the queue
   * @param intake where deliveries are stored
   * @param batchSize how many deliveries are stored in one transaction at most
   */
  public InboxConsumer(Channel channel, String queue, DeliveryReceiver<T> intake, int batchSize) {
    this(channel, queue, intake, batchSize, false);
  }

  /**
   * @param singleActive whether another consumer takes over as soon as this one is cancelled; then
   *     it must not be cancelled before everything in its hand is stored, to keep the order
   */
  InboxConsumer(
      Channel channel,
      String queue,
      DeliveryReceiver<T> intake,
      int batchSize,
      boolean singleActive) {
    super(channel);
    this.singleActive = singleActive;
    this.queue = queue;
    this.intake = intake;
    this.batchSize = batchSize;
    this.persister = new Thread(this::persist, "inbox-consumer-" + queue);
  }

  /** Begins to consume, with this many unacknowledged deliveries in hand at most. */
  public void start(int prefetch) throws IOException {
    start(new SlowStart(prefetch));
  }

  /** Begins to consume, and goes on where another consumer has got to. */
  void start(SlowStart start) throws IOException {
    slowStart = start;
    Channel channel = getChannel();
    channel.setDefaultConsumer(this); // what comes for a consumer that was cancelled is no failure
    channel.basicQos(start.prefetch());
    persister.start();
    channel.basicConsume(queue, false, this);
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
    return acknowledged.get();
  }

  @Override
  public void handleDelivery(
      String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
    if (failure.isDone() || (singleActive && ending)) {
      return; // stays unacknowledged, for the consumer that takes over
    }
    delivered.incrementAndGet();
    try {
      buffer.add(PendingDelivery.of(intake, envelope, properties, body));
    } catch (Throwable e) { // out of memory, say: the supervisor gets it and starts anew
      failure.complete(e);
    }
  }

  @Override
  public void handleCancel(String consumerTag) {
    PendingDelivery first = oldest == null ? buffer.peek() : oldest;
    failure.complete(new ConsumerCancelledException(first == null ? Duration.ZERO : first.held()));
  }

  @Override
  public void handleShutdownSignal(String consumerTag, ShutdownSignalException signal) {
    failure.complete(signal);
  }

  private void persist() {
    try {
      List<PendingDelivery> batch = new ArrayList<>(batchSize);
      long next = System.nanoTime();
      while (!isDone()) {
        Duration wait = unacknowledged == 0 ? GLANCE : LULL;
        PendingDelivery first = buffer.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          batch.add(first);
          oldest = unacknowledged == 0 ? first : oldest;
          closing.await(next - System.nanoTime(), TimeUnit.NANOSECONDS);
          next = System.nanoTime() + apart().toNanos();
          fill(batch);
          store(batch);
          settle(batch);
          batch.clear();
        } else if (unacknowledged > 0) {
          acknowledge();
        }
      }
    } catch (Throwable e) { // whatever it is, the supervisor gets it and starts anew
      failure.complete(e);
    } finally {
      buffer.clear(); // the memory may be needed
    }
  }

  /**
   * Of a consumer that has failed, the broker has what is in the buffer back, in order; but not if
   * it had to give more back before than this consumer could take. Then it is stored first.
   */
  private boolean isDone() {
    Throwable failed = failure.getNow(null);
    if (failed != null) {
      return slowStart.isOver() || buffer.isEmpty() || JvmExhaustion.in(failed) != null;
    }
    return closing.getCount() == 0 && delivered.get() == acknowledged.get();
  }

  /** Few fill a batch at once. */
  private Duration apart() {
    return Math.min(slowStart.prefetch(), batchSize) < MANY ? Duration.ZERO : APART;
  }

  /** Adds what has arrived, as long as it fits. */
  private void fill(List<PendingDelivery> batch) {
    long bytes = batch.stream().mapToLong(PendingDelivery::size).sum();
    while (batch.size() < batchSize) {
      PendingDelivery next = buffer.peek();
      if (next == null || bytes + next.size() > MAX_BATCH_BYTES) {
        return;
      }
      bytes += next.size();
      batch.add(buffer.remove());
    }
  }

  /**
   * Returns when all of it is stored, however long that takes; more may join it meanwhile. Only
   * when the memory is exhausted it gives up.
   */
  private void store(List<PendingDelivery> batch) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    long logged = begin - LOG_AGAIN.toNanos();
    Duration backoff = MIN_BACKOFF;
    while (true) {
      Throwable failed = tryToStore(batch);
      if (failed == null) {
        return;
      }
      VirtualMachineError exhausted = exhausted(failed);
      if (exhausted != null) {
        throw exhausted;
      }
      long now = System.nanoTime();
      if (now - logged >= LOG_AGAIN.toNanos()) {
        logged = now;
        warn(batch.size(), backoff, failed);
      }
      if (now - begin > HOLD.toNanos()) {
        failure.complete(new StoreDownException(failed));
      }
      if (closing.await(backoff.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("closed while the store was away", failed);
      }
      backoff = backoff.multipliedBy(2);
      backoff = backoff.compareTo(MAX_BACKOFF) > 0 ? MAX_BACKOFF : backoff;
      fill(batch);
    }
  }

  private void warn(int waiting, Duration backoff, Throwable failed) {
    SafeLog.write(
        () ->
            log.warn(
                "{} deliveries of {} wait for the store; trying again in {}: {}",
                waiting,
                queue,
                backoff,
                StoreDownException.describe(failed),
                trace(failed)));
  }

  /** What this attempt has run out of, or the consumer before. */
  private @Nullable VirtualMachineError exhausted(Throwable failed) {
    VirtualMachineError now = JvmExhaustion.in(failed);
    return now == null ? JvmExhaustion.in(failure.getNow(failed)) : now;
  }

  /** The store says itself what is wrong with it; where others fail is shown every while. */
  private @Nullable Throwable trace(Throwable failed) {
    return failed instanceof StoreUnavailableException || traces.next().isEmpty()
        ? null
        : LoggedFailure.of(failed);
  }

  /** Returns what it failed with, or null: of what others do, anything may be thrown. */
  private @Nullable Throwable tryToStore(List<PendingDelivery> batch) {
    trying = System.nanoTime();
    try {
      intake.store(batch.stream().map(it -> it.checked(intake, slowStart::isHopeless)).toList());
      return null;
    } catch (Throwable e) {
      return e;
    } finally {
      trying = null;
      if (closing.getCount() > 0) {
        Thread.interrupted(); // nobody but close() interrupts this thread and means it
      }
    }
  }

  /** Acknowledges what was stored, at once or when as many are stored as may be in hand. */
  private void settle(List<PendingDelivery> batch) {
    slowStart.stored();
    unacknowledged += batch.size();
    lastTag = batch.get(batch.size() - 1).tag();
    try {
      if (slowStart.isOver()) {
        acknowledge();
      } else if (unacknowledged >= slowStart.prefetch()) {
        if (slowStart.gotThrough()) {
          allowMore();
        } else {
          acknowledge();
        }
      }
    } catch (IOException | ShutdownSignalException e) {
      failure.complete(e); // stored, and delivered again: duplicates change nothing
    }
  }

  private void acknowledge() throws IOException {
    if (!failure.isDone()) { // a consumer that the broker has cancelled would get more for it
      getChannel().basicAck(lastTag, true);
      acknowledged.addAndGet(unacknowledged);
    }
    unacknowledged = 0;
    oldest = null;
  }

  /** A prefetch holds for consumers that begin after it. */
  private void allowMore() throws IOException {
    if (failure.isDone() || ending) {
      acknowledge();
      return;
    }
    Channel channel = getChannel();
    String before = getConsumerTag();
    channel.basicQos(slowStart.prefetch());
    String renewed = channel.basicConsume(queue, false, this);
    handleConsumeOk(renewed); // the client may tell it later, in another thread
    channel.basicCancel(before);
    acknowledge();
    if (singleActive) {
      wakeTheNext(channel);
    } else if (ending) {
      channel.basicCancel(renewed);
    }
  }

  /**
   * A classic queue lets the next consumer have it when the active one is cancelled, and sends it
   * nothing before something else happens, such as that somebody begins to consume.
   */
  private void wakeTheNext(Channel channel) throws IOException {
    DefaultConsumer moment =
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
            InboxConsumer.this.handleDelivery(consumerTag, envelope, properties, body);
          }
        };
    channel.basicQos(1);
    channel.basicCancel(channel.basicConsume(queue, false, moment));
  }

  /**
   * Stops taking, and stores and acknowledges what is in hand until the deadline. The channel stays
   * open.
   */
  public void close(Duration deadline) {
    long until = System.nanoTime() + deadline.toNanos();
    ending = true;
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

  /** Whether deliveries wait to be stored or acknowledged. */
  boolean hasInHand() {
    return delivered.get() != acknowledged.get();
  }

  /** Whether the store has not answered for this long. */
  boolean isStuckFor(Duration time) {
    Long since = trying;
    return since != null && System.nanoTime() - since > time.toNanos();
  }

  /** Waits until what is being stored is stored, or the time is over. */
  void awaitEnd(Duration time) throws InterruptedException {
    persister.join(Math.max(1, time.toMillis()));
  }

  /** Asks the broker to send no more, and waits a little for its word that it does not. */
  private void cancel(Duration deadline) throws InterruptedException {
    if (singleActive || deadline.isZero() || !getChannel().isOpen() || getConsumerTag() == null) {
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
