package io.inbox4j.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.InboxException;
import io.inbox4j.InboxListener;
import io.inbox4j.IntegrationEvent;
import io.inbox4j.receive.Intake;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.ReceiverState;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an endpoint consuming: connect, declare, consume, wait for a failure of any kind, back off,
 * again.
 *
 * <p>A message that no client can read kills every connection it is delivered to, and takes its
 * neighbours with it towards the delivery limit. So after a few sessions in a row that died early
 * and by themselves, it goes on with a prefetch of 1: then only the culprit reaches the limit. It
 * does so until as many messages got through as could have been its neighbours, or until there are
 * no more.
 *
 * <p>It does not do so for a broker that goes away or closes connections. With a prefetch of 1 the
 * order would suffer: what a quorum queue gets back from a consumer comes behind everything that it
 * got back before, and that is more than one message.
 */
final class Supervisor<T extends IntegrationEvent> implements InboxTransport.Receiver, Runnable {

  private static final Logger log = LoggerFactory.getLogger(RabbitTransport.class);
  private static final Duration MIN_BACKOFF = Duration.ofMillis(100);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final Duration MAX_FUTILE_BACKOFF = Duration.ofMillis(500);
  private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(15);
  private static final int FUTILE_SESSIONS_BEFORE_CAUTION = 3;
  private static final long GLANCE_MILLIS = 50;
  private static final int MAX_GLANCES = 600;
  private static final long MIN_JOIN_MILLIS = 500;
  private static final Duration NO_MORE = Duration.ofSeconds(3);

  private final ConnectionFactory factory;
  private final ReceiveEndpoint endpoint;
  private final Intake<T> intake;
  private final InboxListener listener;
  private final Thread thread;
  private final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable Session<T> session;
  private volatile ReceiverState idle = ReceiverState.connecting();
  private int futileSessions;
  private Duration backoff = MIN_BACKOFF;

  Supervisor(
      ConnectionFactory factory,
      ReceiveEndpoint endpoint,
      Intake<T> intake,
      InboxListener listener) {
    this.factory = factory;
    this.endpoint = endpoint;
    this.intake = intake;
    this.listener = listener;
    this.thread = new Thread(this, "inbox-supervisor-" + endpoint.queue());
  }

  /** Starts, and waits for the first attempt: a mistake in the configuration is thrown here. */
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
    Session<T> current = session;
    return current == null
        ? idle
        : new ReceiverState(current.isConnected(), current.consuming(), idle.failure());
  }

  @Override
  public void run() {
    while (closing.getCount() > 0) {
      Throwable failure = runSession();
      if (closing.getCount() == 0) {
        return;
      }
      log.warn(
          "{} does not consume; connecting again in {}: {}",
          endpoint.queue(),
          backoff,
          failure.toString());
      idle = new ReceiverState(idle.connected(), 0, text(failure));
      listener.disconnected(endpoint.queue(), failure);
      rest();
    }
  }

  /** Runs until something fails, and returns what. */
  private Throwable runSession() {
    boolean cautious = futileSessions >= FUTILE_SESSIONS_BEFORE_CAUTION;
    Session<T> current = null;
    try {
      current = Session.connect(factory, endpoint);
      session = current;
      current.consume(endpoint, intake, cautious ? 1 : endpoint.prefetch());
      if (closing.getCount() == 0) {
        return new IOException("closed while connecting");
      }
      idle = new ReceiverState(true, 0, "a consumer has stopped");
      firstAttempt.complete(true);
      log.info("{} consumes{}", endpoint.queue(), cautious ? ", with a prefetch of 1" : "");
      listener.connected(endpoint.queue());
      Throwable failure = await(current, cautious);
      judge(current, failure);
      return failure;
    } catch (TopologyException e) {
      firstAttempt.completeExceptionally(e);
      log.error("{} is refused and tried again: {}", endpoint.queue(), e.getMessage());
      return e;
    } catch (IOException | TimeoutException | RuntimeException e) {
      if (current == null) {
        idle = new ReceiverState(false, 0, text(e));
      }
      firstAttempt.complete(false);
      return e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e;
    } catch (Error e) { // out of threads or memory: that passes too
      firstAttempt.complete(false);
      return e;
    } finally {
      if (current != null) {
        idle = new ReceiverState(current.isConnected(), 0, idle.failure());
        session = null;
        current.abort();
        letItEnd(current);
      }
    }
  }

  /**
   * What the next session receives comes after what this one is still storing. The broker would
   * deliver that again, and so keep the order, but not if the queue was deleted.
   */
  private void letItEnd(Session<T> ended) {
    try {
      for (int i = 0; i < MAX_GLANCES && closing.getCount() > 0 && ended.isStoring(); i++) {
        ended.awaitEnd(Duration.ofMillis(GLANCE_MILLIS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return failure.getClass().getSimpleName() + (message == null ? "" : ": " + message);
  }

  private Throwable await(Session<T> current, boolean cautious) throws InterruptedException {
    CompletableFuture<Throwable> failure = current.failure();
    while (true) {
      try {
        return cautious ? failure.get(GLANCE_MILLIS, TimeUnit.MILLISECONDS) : failure.get();
      } catch (TimeoutException e) {
        if (isPastDanger(current)) {
          return new IOException("messages get through; going on with the usual prefetch");
        }
      } catch (ExecutionException e) {
        return e;
      }
    }
  }

  private void judge(Session<T> ended, Throwable failure) {
    if (ended.stored() > 0) {
      backoff = MIN_BACKOFF;
    }
    if (isPastDanger(ended)) {
      futileSessions = 0;
    } else if (!Lost.is(failure)) {
      futileSessions++;
    }
  }

  /**
   * Whether no message that kills the connection can be among those that the broker would send at
   * once: as many were acknowledged, or there are no more. A few are no proof, because the
   * acknowledgements that were sent last may be lost.
   */
  private boolean isPastDanger(Session<T> judged) {
    return judged.stored() >= (long) endpoint.consumers() * endpoint.prefetch()
        || judged.isIdleFor(NO_MORE);
  }

  private void rest() {
    double jitter = 0.5 + ThreadLocalRandom.current().nextDouble();
    try {
      if (closing.await((long) (backoff.toMillis() * jitter), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closing.countDown();
    }
    // A message that nobody can read is out of the way after as many sessions as the delivery
    // limit.
    Duration cap = futileSessions > 0 ? MAX_FUTILE_BACKOFF : MAX_BACKOFF;
    backoff = backoff.multipliedBy(2);
    backoff = backoff.compareTo(cap) > 0 ? cap : backoff;
  }

  @Override
  public void close(Duration deadline) {
    long until = System.nanoTime() + deadline.toNanos();
    closing.countDown();
    Session<T> current = session;
    if (current != null) {
      current.close(deadline);
    }
    try {
      thread.join(Math.max(MIN_JOIN_MILLIS, (until - System.nanoTime()) / 1_000_000));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
