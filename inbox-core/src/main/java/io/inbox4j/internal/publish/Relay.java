package io.inbox4j.internal.publish;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.log.LogRateLimit;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.loop.ExponentialBackoff;
import io.inbox4j.publish.WhenUnroutable;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.OutboxStore;
import io.inbox4j.store.WorkStore;
import io.inbox4j.transport.BrokerUnavailableException;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.SendResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what is in the outbox to the broker, in order, and removes what the broker has confirmed.
 * Of all processes one does so at a time.
 *
 * <p>A few batches are in flight at once, so that the database is read while the broker writes. No
 * transaction is open and no row is locked meanwhile. If it is not known what became of a message,
 * everything that is not confirmed is sent again, in the same order and with the same ids.
 */
public final class Relay {

  static final int BATCH = 500;
  static final long BATCH_BYTES = 4 << 20;
  static final int MAX_IN_FLIGHT = 4;

  private static final Logger log = LoggerFactory.getLogger(Relay.class);
  private static final Duration CONFIRM_TIMEOUT = Duration.ofSeconds(30);

  /** How often it looks while something was there a moment ago, and otherwise. */
  private static final Duration OFTEN = Duration.ofMillis(5);

  private static final Duration LESS_OFTEN = Duration.ofMillis(200);

  private static final Duration A_MOMENT = Duration.ofSeconds(1);
  private static final Duration SELDOM = Duration.ofSeconds(1);
  private static final Duration DUE_EVERY = Duration.ofMillis(500);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(10);

  /** How long it fails before another process may try, and for how long that may. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final OutboxStore store;
  private final InboxTransport transport;
  private final WhenUnroutable whenUnroutable;
  private final RelayReports reports;
  private final BooleanSupplier ready;
  private final RelayLease lease;
  private final BackgroundLoop loop =
      new BackgroundLoop("inbox-relay", "Publishing what is in the outbox", this::work)
          .keepingAlive();
  private final ExponentialBackoff backoff =
      new ExponentialBackoff(Duration.ofMillis(100), Duration.ofSeconds(5));
  private final LogRateLimit warnings = new LogRateLimit(REPORT_EVERY);
  private final ExponentialBackoff looks = new ExponentialBackoff(OFTEN, LESS_OFTEN);
  private final Deque<InFlight> inFlight = new ArrayDeque<>();
  private @Nullable OutboxReader reader;
  private volatile @Nullable MessageSender sender;
  private WorkStore.@Nullable Watch watch;
  private volatile Deadline often = Deadline.in(Duration.ZERO);
  private volatile boolean looksAnew;
  private @Nullable Deadline failingSince;
  private Deadline due = Deadline.in(Duration.ZERO);
  private volatile @Nullable String trouble;

  /** A batch that was sent, and what it consists of. */
  private record InFlight(List<OutboxReader.Entry> entries, MessageSender.SentBatch batch) {}

  /**
   * @param ready whether it may send: not before the queues of its own inbox are bound
   */
  public Relay(
      OutboxStore store,
      InboxTransport transport,
      WhenUnroutable whenUnroutable,
      RelayReports reports,
      BooleanSupplier ready) {
    this.store = store;
    this.transport = transport;
    this.whenUnroutable = whenUnroutable;
    this.reports = reports;
    this.ready = ready;
    this.lease = new RelayLease(store, this::wake);
  }

  /** Starts it; it is started once. It keeps the process alive until it is closed. */
  public void start() {
    watch = store.watchOutbox(this::wake);
    lease.start();
    loop.start();
  }

  private void wake() {
    lookOften();
    loop.wake();
  }

  private void lookOften() {
    often = Deadline.in(A_MOMENT);
    looksAnew = true;
  }

  /** Whether this process is the one that sends. */
  public boolean isActive() {
    return lease.holds();
  }

  /** Why nothing is sent at present, or null. Does not wait. */
  public @Nullable String trouble() {
    MessageSender current = sender;
    String blocked = current == null ? null : current.blocked();
    String reason = blocked == null ? trouble : blocked;
    return reason == null ? lease.trouble() : reason;
  }

  /** Lets what is in flight be confirmed until the deadline, and ends. */
  public void close(Deadline deadline) {
    if (watch != null) {
      watch.close();
    }
    loop.close(deadline.left());
    MessageSender current = sender;
    if (current != null) {
      current.close(); // ends a wait for the broker
    }
    lease.close(atMost(deadline.left()));
  }

  private static Duration atMost(Duration left) {
    return left.compareTo(A_MOMENT) < 0 ? left : A_MOMENT;
  }

  private void work(BackgroundLoop self) throws InterruptedException {
    if (!lease.holds()) {
      standBy();
      self.pause(SELDOM);
      return;
    }
    if (!ready.getAsBoolean()) {
      trouble = "the queues of this inbox are not connected yet, so they may not be bound";
      self.pause(SELDOM);
      return;
    }
    if (looksAnew) {
      looksAnew = false;
      looks.reset();
    }
    try {
      boolean worked = relaySome(self);
      backoff.reset();
      trouble = null;
      failingSince = null;
      if (!worked) {
        self.pause(often.hasPassed() ? SELDOM : looks.next());
      }
    } catch (InterruptedException e) {
      startOver(Duration.ZERO);
      throw e;
    } catch (Throwable e) { // from the broker or the database: both are tried again
      startOver(Duration.ZERO);
      failed(e, self);
    } finally {
      if (self.isClosed()) {
        finish();
      }
    }
  }

  /** Sends what there is, as far as not too much is in flight, and waits for the oldest batch. */
  private boolean relaySome(BackgroundLoop self) throws InterruptedException {
    releaseDue();
    while (inFlight.size() < MAX_IN_FLIGHT && lease.holds() && !self.isClosed()) {
      List<OutboxReader.Entry> entries = reader().next(BATCH, BATCH_BYTES);
      if (entries.isEmpty()) {
        break;
      }
      lookOften();
      List<OutgoingMessage> messages = entries.stream().map(OutboxReader.Entry::message).toList();
      inFlight.add(new InFlight(entries, sender().send(messages)));
    }
    if (inFlight.isEmpty()) {
      return false;
    }
    settleOldest(CONFIRM_TIMEOUT);
    return true;
  }

  private void releaseDue() {
    if (due.hasPassed()) {
      int released = reader().releaseDue();
      due = Deadline.in(released == 0 ? DUE_EVERY : Duration.ZERO);
    }
  }

  /** Removes what the oldest batch has sent; throws if something of it has to be sent again. */
  private void settleOldest(Duration patience) throws InterruptedException {
    InFlight oldest = inFlight.remove();
    List<SendResult> results = oldest.batch().await(patience);
    List<Long> sent = new ArrayList<>(results.size());
    List<OutboxReader.Undeliverable> dead = new ArrayList<>();
    int confirmed = 0;
    String unknown = null;
    for (int i = 0; i < results.size(); i++) {
      OutboxReader.Entry entry = oldest.entries().get(i);
      SendResult result = results.get(i);
      if (result instanceof SendResult.Confirmed) {
        confirmed++;
        sent.add(entry.sequence());
      } else if (result instanceof SendResult.Unroutable unroutable) {
        undeliverable(entry, OutboxReader.Reason.UNROUTABLE, unroutable.reason(), sent, dead);
      } else if (result instanceof SendResult.Rejected rejected) {
        undeliverable(entry, OutboxReader.Reason.REJECTED, rejected.reason(), sent, dead);
      } else if (result instanceof SendResult.Unknown it) {
        unknown = it.reason();
      }
    }
    if (!sent.isEmpty() || !dead.isEmpty()) {
      reader().settle(sent, dead);
      reports.published(confirmed);
    }
    if (unknown != null) {
      throw new BrokerUnavailableException(unknown);
    }
  }

  private void undeliverable(
      OutboxReader.Entry entry,
      OutboxReader.Reason reason,
      String why,
      List<Long> sent,
      List<OutboxReader.Undeliverable> dead) {
    if (reason == OutboxReader.Reason.UNROUTABLE && whenUnroutable == WhenUnroutable.DROP) {
      sent.add(entry.sequence());
      reports.dropped(entry.message(), why);
    } else {
      dead.add(new OutboxReader.Undeliverable(entry.sequence(), reason, why));
      reports.undeliverable(entry.message(), why);
    }
  }

  /**
   * Removes what was confirmed of all that is in flight, and reads the rest again.
   *
   * @param patience how long to wait for the confirms of a batch
   */
  private void startOver(Duration patience) {
    while (!inFlight.isEmpty()) {
      try {
        settleOldest(patience);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Throwable e) { // it is sent again
        log.debug("Not everything in flight is known to be sent: {}", LoggedFailure.summary(e));
      }
    }
    if (reader != null) {
      reader.startOver();
    }
  }

  private void failed(Throwable failure, BackgroundLoop self) throws InterruptedException {
    String why =
        failure instanceof InboxException ? failure.getMessage() : LoggedFailure.summary(failure);
    trouble = why;
    Duration pause = backoff.next();
    OptionalLong before = self.isClosed() ? OptionalLong.empty() : warnings.next();
    if (before.isPresent()) {
      log.warn("Publishing is interrupted, nothing is lost; trying again in {}: {}", pause, why);
    }
    Deadline end = Deadline.in(pause);
    while (!end.hasPassed() && self.pause(end.left())) {
      // what is published meanwhile does not shorten it
    }
    giveOthersATurn();
  }

  /** Lets another process try that may reach the broker, after a while without success. */
  private void giveOthersATurn() {
    if (failingSince == null) {
      failingSince = Deadline.in(PATIENCE);
    } else if (failingSince.hasPassed()) {
      failingSince = null;
      lease.rest(PATIENCE);
    }
  }

  private void standBy() {
    startOver(Duration.ZERO);
    if (reader != null) {
      reader.close();
      reader = null;
    }
    closeSender();
    trouble = null;
  }

  /** Waits for what is in flight, until {@link #close} interrupts that. */
  private void finish() {
    startOver(CONFIRM_TIMEOUT);
    standBy();
  }

  private void closeSender() {
    MessageSender current = sender;
    sender = null;
    if (current != null) {
      current.close();
    }
  }

  private OutboxReader reader() {
    OutboxReader current = reader;
    if (current == null) {
      current = store.openOutbox();
      reader = current;
    }
    return current;
  }

  private MessageSender sender() {
    MessageSender current = sender;
    if (current == null) {
      current = transport.openSender();
      sender = current;
    }
    return current;
  }
}
