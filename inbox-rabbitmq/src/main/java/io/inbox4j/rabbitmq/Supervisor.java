package io.inbox4j.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.loop.ExponentialBackoff;
import io.inbox4j.internal.loop.ResilientLoop;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.ReceiverState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an endpoint consuming: connect, wait until the pending deliveries of the last session are
 * stored and the store responds, declare, consume, wait for a failure of any kind, back off,
 * repeat.
 *
 * <p>A store that is known to go down while nothing is pending counts as a failure, too: otherwise
 * each of the processes that receive from a queue would in turn take a message, and use up one of
 * its deliveries, only to find that it cannot be stored.
 */
final class Supervisor<T extends IntegrationEvent> implements InboxTransport.Receiver, Runnable {

  private static final Logger log = LoggerFactory.getLogger(RabbitTransport.class);
  private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(15);
  private static final Duration PROBE_EVERY = Duration.ofSeconds(1);
  private static final Duration GLANCE = Duration.ofMillis(50);

  /** Longer than any statement of the store should take, and longer than its own timeouts. */
  private static final Duration STUCK = Duration.ofMinutes(10);

  private static final Duration MIN_JOIN = Duration.ofMillis(500);

  private final ConnectionFactory factory;
  private final ReceiveEndpoint endpoint;
  private final DeliveryReceiver<T> deliveryReceiver;
  private final ConnectionListener listener;
  private final List<SlowStart> starts;
  private final Thread thread;
  private final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** The connected session, or null. */
  private volatile @Nullable ConsumerSession<T> session;

  /** The session that consumed last, whose deliveries may still be being stored. */
  private volatile @Nullable ConsumerSession<T> storing;

  private volatile boolean consuming;
  private volatile ReceiverState idle = ReceiverState.connecting();
  private final ExponentialBackoff backoff =
      new ExponentialBackoff(Duration.ofMillis(100), Duration.ofSeconds(5));

  Supervisor(
      ConnectionFactory factory,
      ReceiveEndpoint endpoint,
      DeliveryReceiver<T> deliveryReceiver,
      ConnectionListener listener) {
    this.factory = factory;
    this.endpoint = endpoint;
    this.deliveryReceiver = deliveryReceiver;
    this.listener = listener;
    this.starts = Stream.generate(() -> slowStart(endpoint)).limit(endpoint.consumers()).toList();
    this.thread = new Thread(this, "inbox-supervisor-" + endpoint.queue());
  }

  private static SlowStart slowStart(ReceiveEndpoint endpoint) {
    return ConsumerSession.mayBeSingleActive(endpoint.topology())
        ? SlowStart.inOrder(endpoint.prefetch(), endpoint.topology().deliveryLimit())
        : new SlowStart(endpoint.prefetch());
  }

  /** Starts, and waits for the first attempt: a configuration error is thrown here. */
  void start() {
    thread.start();
    try {
      firstAttempt.get(FIRST_ATTEMPT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      close(Duration.ZERO);
      throw e.getCause() instanceof TopologyException refusal
          ? refusal
          : new InboxException("receiving could not start", e.getCause());
    } catch (TimeoutException e) {
      log.warn("{} is not connected yet; it goes on in the background.", endpoint.queue());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public ReceiverState state() {
    ConsumerSession<T> current = session;
    if (current == null) {
      return idle;
    }
    return consuming
        ? new ReceiverState(current.isConnected(), current.consuming(), "a consumer has stopped")
        : new ReceiverState(current.isConnected(), 0, idle.failure());
  }

  /** Keeps receiving, whatever is thrown. */
  @Override
  public void run() {
    new ResilientLoop("Receiving " + endpoint.queue(), this::isClosing, this::receive).run();
  }

  private void receive() throws InterruptedException {
    Throwable failure = runSession();
    if (isClosing()) {
      return;
    }
    try {
      report(failure);
    } finally {
      Duration pause = ExponentialBackoff.jittered(backoff.next());
      closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  /** Runs a session until something fails, and returns the failure. */
  private Throwable runSession() {
    ConsumerSession<T> current = null;
    try {
      current = ConsumerSession.connect(factory, endpoint);
      session = current;
      letTheLastEnd(current);
      awaitStore(current);
      if (isClosing() || !current.isConnected()) {
        return new IOException("the connection was closed before it consumed");
      }
      storing = current;
      current.consume(endpoint, deliveryReceiver, starts);
      consuming = true;
      if (isClosing()) {
        return new IOException("closed while it began to consume");
      }
      firstAttempt.complete(true);
      SafeLog.write(() -> log.info("{} consumes", endpoint.queue()));
      tell(it -> it.connected(endpoint.queue()));
      Throwable failure = current.explain(failureOf(current), endpoint.queue());
      judge(current, failure);
      return failure;
    } catch (TopologyException e) {
      firstAttempt.completeExceptionally(e);
      SafeLog.write(
          () -> log.error("{} is refused and tried again: {}", endpoint.queue(), e.getMessage()));
      return e;
    } catch (Throwable e) { // out of threads or memory: that passes too
      return e;
    } finally {
      firstAttempt.complete(false);
      idle = new ReceiverState(current != null && current.isConnected(), 0, idle.failure());
      consuming = false;
      session = null;
      if (current != null) {
        current.abort();
        if (isClosing()) {
          current.close(Duration.ZERO); // close() may not have seen all of its consumers
        }
      }
    }
  }

  /** Waits until the session fails, or the store does while nothing is pending. */
  private Throwable failureOf(ConsumerSession<T> current)
      throws InterruptedException, ExecutionException {
    CompletableFuture<Throwable> failure = current.failure();
    while (true) {
      try {
        return failure.get(PROBE_EVERY.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) { // still consuming
        Throwable obstacle = current.hasInFlight() ? null : obstacle();
        if (obstacle != null) {
          return obstacle;
        }
      }
    }
  }

  private void awaitStore(ConsumerSession<T> next) throws InterruptedException {
    while (!isClosing() && next.isConnected()) {
      Throwable obstacle = obstacle();
      if (obstacle == null) {
        return;
      }
      firstAttempt.complete(false);
      idle = new ReceiverState(true, 0, describe(obstacle));
      closing.await(PROBE_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Why nothing can be stored, or null if no reason is known. */
  private @Nullable Throwable obstacle() {
    try {
      deliveryReceiver.probe();
      return null;
    } catch (StoreUnavailableException e) {
      return new StoreDownException(e);
    } catch (Throwable e) { // storing deliveries will tell
      return null;
    }
  }

  private void judge(ConsumerSession<T> ended, Throwable failure) {
    if (ended.stored() > 0) {
      backoff.reset();
    }
    if (!ConnectionLoss.is(failure)) {
      starts.forEach(SlowStart::again);
    }
  }

  private void report(Throwable failure) {
    String text = describe(failure);
    Throwable trace = isSaidByUs(failure) ? null : LoggedFailure.of(failure);
    SafeLog.write(() -> log.warn("{} does not consume: {}", endpoint.queue(), text, trace));
    idle = new ReceiverState(idle.connected(), 0, text);
    tell(it -> it.disconnected(endpoint.queue(), failure));
  }

  private void tell(Consumer<ConnectionListener> event) {
    try {
      event.accept(listener);
    } catch (Throwable e) {
      SafeLog.write(
          () -> log.error("A listener of {} failed", endpoint.queue(), LoggedFailure.of(e)));
    } finally {
      Thread.interrupted();
    }
  }

  /**
   * Waits for the last session, so that what the next one receives comes after the last one's
   * pending deliveries. The broker redelivers those; but until they are stored the next session
   * could not store anything either, and would only use up the delivery limit.
   */
  private void letTheLastEnd(ConsumerSession<T> next) throws InterruptedException {
    ConsumerSession<T> ended = storing;
    while (ended != null && !isClosing() && next.isConnected() && ended.isStoring()) {
      ended.awaitEnd(GLANCE);
      if (ended.isStuckFor(STUCK)) {
        SafeLog.write(
            () ->
                log.error(
                    "The store has not answered {} for {}; it goes on without the answer.",
                    endpoint.queue(),
                    STUCK));
        starts.forEach(SlowStart::again);
        ended.close(Duration.ZERO);
        return;
      }
    }
  }

  /** The failure in one line, with what the broker, the client or the store says of it. */
  static String describe(Throwable failure) {
    if (!isSaidByUs(failure)) {
      return LoggedFailure.kind(failure);
    }
    String message = failure.getMessage();
    if (message == null) {
      message = RabbitTransport.refusalIn(failure);
    }
    return failure.getClass().getSimpleName() + (message == null ? "" : ": " + message);
  }

  /**
   * Whether the message of the failure that ended a session comes from the broker, the store or
   * ourselves, and so contains no payload. What a listener or a receiver throws never gets here
   * unwrapped.
   */
  private static boolean isSaidByUs(Throwable failure) {
    return failure instanceof IOException
        || failure instanceof ShutdownSignalException
        || failure instanceof TimeoutException
        || failure instanceof InboxException;
  }

  @Override
  public void close(Duration time) {
    Deadline deadline = Deadline.in(time);
    closing.countDown();
    ConsumerSession<T> connected = session;
    ConsumerSession<T> last = storing;
    if (connected != null) {
      connected.close(deadline.left());
    }
    if (last != null && last != connected) {
      last.close(deadline.left());
    }
    Duration left = deadline.left();
    Deadline.in(left.compareTo(MIN_JOIN) < 0 ? MIN_JOIN : left).join(thread);
  }
}
