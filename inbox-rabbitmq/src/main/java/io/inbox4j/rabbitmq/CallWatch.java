package io.inbox4j.rabbitmq;

import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.internal.loop.Deadline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the calls of the client that may wait for the broker without a limit, or with one of their
 * own: when a call takes too long, its connection is aborted, which ends the call. For one thread
 * that calls.
 */
final class CallWatch {

  private static final Duration EVERY = Duration.ofMillis(500);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final BackgroundLoop loop;
  private final Runnable abort;
  private volatile @Nullable Deadline deadline;
  private boolean started;

  CallWatch(Runnable abort) {
    this.abort = abort;
    this.loop = new BackgroundLoop("inbox-sender-watch", "Watching a sender", this::watch);
  }

  private void watch(BackgroundLoop watching) throws InterruptedException {
    watching.pause(EVERY);
    Deadline current = deadline;
    if (current != null && current.hasPassed()) {
      abort.run();
    }
  }

  /** A call begins, which may take this long. */
  void begin(Duration atMost) {
    if (!started) {
      started = true;
      loop.start();
    }
    deadline = Deadline.in(atMost);
  }

  /** The call has ended. */
  void end() {
    deadline = null;
  }

  void close() {
    loop.close(GRACE);
  }
}
