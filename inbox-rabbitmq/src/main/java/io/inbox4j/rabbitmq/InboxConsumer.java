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
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.loop.ExponentialBackoff;
import io.inbox4j.internal.loop.JvmExhaustion;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.DeliveryReceiver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
 * Stores what a channel delivers and acknowledges it; it does nothing else.
 *
 * <p>The connection's thread validates deliveries and puts them into a buffer. Meanwhile the
 * consumer's own thread takes whatever has arrived, has it stored in one transaction, and
 * acknowledges it with a single multiple-ack: what it takes is always the oldest of what the
 * channel has delivered. Batches start a short interval apart, so that deliveries that arrive
 * singly in quick succession are stored together; their size in bytes is limited, too, because a
 * database accepts only so much at once.
 *
 * <p>While the store is unavailable, deliveries are held for a moment. After that the consumer
 * fails, so that the broker can requeue them before they are overdue. Whatever has stopped the
 * consumer, its thread keeps trying until its pending deliveries are stored: that proves that the
 * store is back, and the next consumer waits for it. So an outage costs a message at most one
 * delivery per process, however long it lasts; and what is redelivered is a duplicate.
 *
 * <p>If there is not enough memory for the pending deliveries, nothing is retried: the consumer
 * drops them and fails, and the next one takes them one by one.
 *
 * <p>The prefetch grows as deliveries get through, see {@link SlowStart}. To change it, the
 * consumer starts consuming anew and cancels its previous subscription once all pending deliveries
 * are stored and no more can arrive on it, because none of them is acknowledged yet. So nobody can
 * overtake it, not even on a queue with a single active consumer, and a queue that the broker
 * deletes with its last consumer always has one.
 *
 * <p>The channel must not be used by anybody else.
 *
 * @param <T> the type of the endpoint's events
 */
final class InboxConsumer<T extends IntegrationEvent> extends DefaultConsumer {

  private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

  /** How long deliveries are held while the store is unavailable. */
  private static final Duration HOLD = Duration.ofSeconds(3);

  private static final Duration MIN_BACKOFF = Duration.ofMillis(50);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final Duration LOG_AGAIN = Duration.ofMinutes(1);
  private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(2);
  private static final Duration GLANCE = Duration.ofMillis(100);
  private static final Duration LULL = Duration.ofMillis(5);
  private static final Duration APART = Duration.ofMillis(2);
  private static final int MANY = 100;
  private static final String DELIVERY_COUNT = "x-delivery-count";
  private static final long MAX_BATCH_BYTES = 16 << 20;

  private final String queue;
  private final DeliveryReceiver<T> deliveryReceiver;
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

  /** Since when the persister has been trying to store something, or null. */
  private volatile @Nullable Long trying;

  /** The oldest delivery that the persister has taken and not acknowledged yet. */
  private volatile @Nullable PendingDelivery oldest;

  /** How many deliveries are stored but not acknowledged yet, and the tag of the last one. */
  private int unacknowledged;

  private long lastTag;

  /**
   * Creates a consumer for a channel that nobody else uses; {@link #start} begins consuming.
   *
   * @param queue the queue
   * @param deliveryReceiver where deliveries are stored
   * @param batchSize the maximum number of deliveries stored in one transaction
   */
  InboxConsumer(
      Channel channel, String queue, DeliveryReceiver<T> deliveryReceiver, int batchSize) {
    this(channel, queue, deliveryReceiver, batchSize, false);
  }

  /**
   * @param singleActive whether another consumer takes over as soon as this one is cancelled; to
   *     keep the order, it must not be cancelled before all its pending deliveries are stored
   */
  InboxConsumer(
      Channel channel,
      String queue,
      DeliveryReceiver<T> deliveryReceiver,
      int batchSize,
      boolean singleActive) {
    super(channel);
    this.singleActive = singleActive;
    this.queue = queue;
    this.deliveryReceiver = deliveryReceiver;
    this.batchSize = batchSize;
    this.persister = new Thread(this::persist, "inbox-consumer-" + queue);
  }

  /** Starts consuming, with at most this many unacknowledged deliveries in flight. */
  void start(int prefetch) throws IOException {
    start(new SlowStart(prefetch));
  }

  /** Starts consuming, continuing where a previous consumer's slow start left off. */
  void start(SlowStart start) throws IOException {
    slowStart = start;
    Channel channel = getChannel();
    channel.setDefaultConsumer(this); // late deliveries for a cancelled tag are fine
    channel.basicQos(start.prefetch());
    persister.start();
    channel.basicConsume(queue, false, this);
  }

  /** Completes when the consumer cannot continue, with the failure that stopped it. */
  CompletableFuture<Throwable> failure() {
    return failure;
  }

  /** Whether the broker has confirmed the consumer and nothing has stopped it. */
  boolean isConsuming() {
    return getConsumerTag() != null && getChannel().isOpen() && !failure.isDone();
  }

  /** The number of deliveries stored and acknowledged. */
  long stored() {
    return acknowledged.get();
  }

  @Override
  public void handleDelivery(
      String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
    if (failure.isDone() || (singleActive && ending)) {
      return; // stays unacknowledged, for the consumer that takes over
    }
    long before = deliveriesBefore(properties);
    if (slowStart.isSuspicious(before)) {
      failure.complete(new RepeatedDeliveryException(before));
      return;
    }
    delivered.incrementAndGet();
    try {
      buffer.add(PendingDelivery.of(deliveryReceiver, envelope, properties, body));
    } catch (Throwable e) { // out of memory, for example: the supervisor restarts
      failure.complete(e);
    }
  }

  /** As a quorum queue counts them; what a producer has written there does no harm. */
  private static long deliveriesBefore(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    return headers != null && headers.get(DELIVERY_COUNT) instanceof Number count
        ? count.longValue()
        : 0;
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
    } catch (Throwable e) { // whatever it is, the supervisor restarts
      failure.complete(e);
    } finally {
      buffer.clear(); // the memory may be needed
    }
  }

  /**
   * When a consumer has failed, the broker requeues what is in the buffer, in order; unless it had
   * to requeue more before than this consumer could take. In that case it is stored first.
   */
  private boolean isDone() {
    Throwable failed = failure.getNow(null);
    if (failed != null) {
      return slowStart.isOver() || buffer.isEmpty() || JvmExhaustion.in(failed) != null;
    }
    return closing.getCount() == 0 && delivered.get() == acknowledged.get();
  }

  /** A small number of deliveries fills a batch at once, so there is nothing to wait for. */
  private Duration apart() {
    return Math.min(slowStart.prefetch(), batchSize) < MANY ? Duration.ZERO : APART;
  }

  /** Adds deliveries that have arrived, as long as they fit. */
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
   * Returns when the whole batch is stored, however long that takes; more deliveries may join it
   * meanwhile. It gives up only when memory is exhausted.
   */
  private void store(List<PendingDelivery> batch) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    long logged = begin - LOG_AGAIN.toNanos();
    ExponentialBackoff backoff = new ExponentialBackoff(MIN_BACKOFF, MAX_BACKOFF);
    while (true) {
      Throwable failed = tryToStore(batch);
      if (failed == null) {
        return;
      }
      VirtualMachineError exhausted = exhausted(failed);
      if (exhausted != null) {
        throw exhausted;
      }
      Duration pause = backoff.next();
      long now = System.nanoTime();
      if (now - logged >= LOG_AGAIN.toNanos()) {
        logged = now;
        warn(batch.size(), pause, failed);
      }
      if (now - begin > HOLD.toNanos()) {
        failure.complete(new StoreDownException(failed));
      }
      if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("closed while the store was away", failed);
      }
      fill(batch);
    }
  }

  private void warn(int waiting, Duration pause, Throwable failed) {
    SafeLog.write(
        () ->
            log.warn(
                "{} deliveries of {} wait for the store; trying again in {}: {}",
                waiting,
                queue,
                pause,
                StoreDownException.describe(failed),
                trace(failed)));
  }

  /** The exhaustion that this attempt, or the consumer before it, has run into. */
  private @Nullable VirtualMachineError exhausted(Throwable failed) {
    VirtualMachineError now = JvmExhaustion.in(failed);
    return now == null ? JvmExhaustion.in(failure.getNow(failed)) : now;
  }

  /**
   * The store's own exceptions explain themselves; for others a stack trace is logged from time to
   * time.
   */
  private @Nullable Throwable trace(Throwable failed) {
    return failed instanceof StoreUnavailableException || traces.next().isEmpty()
        ? null
        : LoggedFailure.of(failed);
  }

  /** Returns the failure, or null: code of others may throw anything. */
  private @Nullable Throwable tryToStore(List<PendingDelivery> batch) {
    trying = System.nanoTime();
    try {
      deliveryReceiver.store(
          batch.stream().map(it -> it.checked(deliveryReceiver, slowStart::isHopeless)).toList());
      return null;
    } catch (Throwable e) {
      return e;
    } finally {
      trying = null;
      if (closing.getCount() > 0) {
        Thread.interrupted(); // only an interrupt by close() counts
      }
    }
  }

  /** Acknowledges what was stored: at once, or during slow start when a full prefetch is stored. */
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
      failure.complete(e); // stored, and redelivered: duplicates are ignored
    }
  }

  private void acknowledge() throws IOException {
    if (!failure.isDone()) { // a consumer that the broker cancelled would be sent more
      getChannel().basicAck(lastTag, true);
      acknowledged.addAndGet(unacknowledged);
    }
    unacknowledged = 0;
    oldest = null;
  }

  /** Raises the prefetch, which applies only to consumers that start after the change. */
  private void allowMore() throws IOException {
    if (failure.isDone() || ending) {
      acknowledge();
      return;
    }
    Channel channel = getChannel();
    String before = getConsumerTag();
    channel.basicQos(slowStart.prefetch());
    String renewed = channel.basicConsume(queue, false, this);
    handleConsumeOk(renewed); // the client may report it later, in another thread
    channel.basicCancel(before);
    acknowledge();
    if (singleActive) {
      wakeTheNext(channel);
    } else if (ending) {
      channel.basicCancel(renewed);
    }
  }

  /**
   * A classic queue activates the next consumer when the active one is cancelled, but sends it
   * nothing until something else happens, such as another consumer starting.
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
   * Stops consuming, and stores and acknowledges pending deliveries until the deadline. The channel
   * stays open.
   */
  void close(Duration time) {
    Deadline deadline = Deadline.in(time);
    ending = true;
    try {
      cancel(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closing.countDown();
    if (!deadline.join(persister)) {
      persister.interrupt();
    }
  }

  /** Whether its thread is still running; it may have been told to stop. */
  boolean isStoring() {
    return persister.isAlive();
  }

  /** Whether deliveries are waiting to be stored or acknowledged. */
  boolean hasInFlight() {
    return delivered.get() != acknowledged.get();
  }

  /** Whether the store has not responded for this long. */
  boolean isStuckFor(Duration time) {
    Long since = trying;
    return since != null && System.nanoTime() - since > time.toNanos();
  }

  /** Waits until pending deliveries are stored or the time is up. */
  void awaitEnd(Duration time) throws InterruptedException {
    persister.join(Math.max(1, time.toMillis()));
  }

  /** Asks the broker to stop sending, and waits briefly for the confirmation. */
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
