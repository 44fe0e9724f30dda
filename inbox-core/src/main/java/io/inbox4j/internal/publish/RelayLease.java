package io.inbox4j.internal.publish;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.store.OutboxStore;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this process the one that relays, or waits until it can be. It is renewed by a thread of
 * its own, because the relay may wait for the broker for longer than the lease.
 *
 * <p>This process counts its lease as over a little before the database does. One that was frozen
 * and has not noticed yet may send again what its successor has sent, under the same ids, and
 * nothing that its successor has not.
 */
final class RelayLease {

  static final Duration LEASE = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(RelayLease.class);
  private static final Duration RENEW_EVERY = Duration.ofSeconds(1);
  private static final Duration MARGIN = Duration.ofSeconds(1);

  private final OutboxStore store;
  private final Runnable taken;
  private final UUID self = UUID.randomUUID();
  private final BackgroundLoop loop =
      new BackgroundLoop("inbox-relay-lease", "Keeping the lease of the relay", this::renew);
  private boolean holds;
  private volatile Deadline resting = Deadline.in(Duration.ZERO);
  private volatile @Nullable String trouble;
  private volatile Deadline end = Deadline.in(Duration.ZERO);

  /**
   * @param taken called when this process becomes the one that relays
   */
  RelayLease(OutboxStore store, Runnable taken) {
    this.store = store;
    this.taken = taken;
  }

  void start() {
    loop.start();
  }

  /** Whether this process is the one that relays, for a moment at least. */
  boolean holds() {
    return !end.hasPassed();
  }

  /** Why nobody knows which process relays, or null. */
  @Nullable String trouble() {
    return trouble;
  }

  /** Lets another process relay for a while, if there is one. */
  void rest(Duration time) {
    resting = Deadline.in(time);
    end = Deadline.in(Duration.ZERO);
    loop.wake();
  }

  private void renew(BackgroundLoop renewing) throws InterruptedException {
    try {
      if (!resting.hasPassed()) {
        store.resignRelay(self);
        holds = false;
        renewing.pause(resting.left());
        return;
      }
      Deadline next = Deadline.in(LEASE.minus(MARGIN));
      boolean held = store.leadRelay(self, LEASE);
      end = held ? next : Deadline.in(Duration.ZERO);
      if (held && !holds) {
        log.info("This process publishes now what is in the outbox");
        taken.run();
      }
      holds = held;
      trouble = null;
    } catch (RuntimeException e) { // the lease ends by itself
      failed(e);
    }
    renewing.pause(RENEW_EVERY);
  }

  private void failed(RuntimeException failure) {
    String why =
        failure instanceof InboxException ? failure.getMessage() : LoggedFailure.summary(failure);
    if (trouble == null) {
      log.warn("Nothing is published by this process for now, and nothing is lost: {}", why);
    }
    trouble = why;
  }

  /** Gives the lease up, if the database answers in time. */
  void close(Duration grace) {
    loop.close(grace);
    end = Deadline.in(Duration.ZERO);
    Thread resigning = new Thread(this::resign, "inbox-relay-resign");
    resigning.setDaemon(true);
    resigning.start();
    Deadline.in(grace).join(resigning);
  }

  private void resign() {
    try {
      store.resignRelay(self);
    } catch (Throwable e) { // another process takes over when the lease has ended
      log.debug("The lease of the relay could not be given up: {}", LoggedFailure.summary(e));
    }
  }
}
