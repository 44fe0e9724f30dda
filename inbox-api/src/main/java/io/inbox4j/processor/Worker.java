package io.inbox4j.processor;

import io.inbox4j.internal.Endless;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.store.Fault;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread of the pool: claim, handle, commit, again. */
final class Worker implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(InboxProcessor.class);
  private static final Duration MIN_BACKOFF = Duration.ofMillis(50);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final Duration SECOND_LOOK = Duration.ofMillis(1_100);
  private static final int OTHER_KIND_EVERY = 16;

  private final Workload workload;
  private final Handlers handlers;
  private final InboxStore store;
  private final Signal signal;
  private final Gate gate;
  private final Turns turns;
  private final Pace pace;
  private final Outcomes outcomes;
  private final Recovery recovery;
  private Duration backoff = MIN_BACKOFF;
  private int rounds;
  private boolean idle;
  private boolean otherKind;
  private volatile boolean stopping;

  Worker(
      Workload workload,
      Handlers handlers,
      InboxStore store,
      SafeListener listener,
      Signal signal,
      Gate gate,
      Turns turns,
      Pace pace,
      Outcomes outcomes,
      Losses losses) {
    this.workload = workload;
    this.handlers = handlers;
    this.store = store;
    this.signal = signal;
    this.gate = gate;
    this.turns = turns;
    this.pace = pace;
    this.outcomes = outcomes;
    this.recovery =
        new Recovery(workload, handlers, store, listener, outcomes, losses, () -> stopping);
  }

  /** Asks the worker to end after the batch in hand. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    new Endless("A worker of " + workload.endpoint(), () -> stopping, this::workOrWait).run();
    settleLastNotes();
    signal.raise(); // for another worker, if this one was woken only to end
  }

  private void workOrWait() throws InterruptedException {
    try {
      boolean wasIdle = idle;
      if (!workOnce()) {
        signal.await(wasIdle && idle ? workload.pollInterval() : beforeIdling());
      }
      backoff = MIN_BACKOFF;
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) { // of the database, of a commit: it is told, and passes
      if (stopping) {
        log.info("A batch of {} was given up to stop; it is free again.", workload.endpoint());
        return;
      }
      pace.gaveUp(store.faultOf(e) == Fault.MESSAGE);
      rest(e);
    }
  }

  private void settleLastNotes() {
    try {
      recovery.settle();
    } catch (Throwable e) { // it is the last thing that the worker does
      log.warn(
          "The last messages of {} keep the note of a run that was stopped: {}",
          workload.endpoint(),
          FailureText.logged(e));
    }
  }

  /** Before a worker rests for long it looks once more, for what was committed out of order. */
  private Duration beforeIdling() {
    return workload.pollInterval().compareTo(SECOND_LOOK) < 0
        ? workload.pollInterval()
        : SECOND_LOOK;
  }

  private void rest(Throwable cause) throws InterruptedException {
    Duration pause = backoff;
    Duration longer = backoff.multipliedBy(2);
    backoff = longer.compareTo(MAX_BACKOFF) > 0 ? MAX_BACKOFF : longer;
    outcomes.interrupted("Processing", pause, cause);
    signal.pause(pause);
  }

  /**
   * Handles a batch, if there is something to do and allowed.
   *
   * @return whether there may be more already; if not, the signal is raised when there is
   */
  private boolean workOnce() {
    recovery.settle();
    try (Turns.Turn turn = turns.take();
        Gate.Pass pass = turn == null ? null : gate.enter()) {
      if (turn == null) {
        return false;
      }
      if (pass == null) {
        idle = true;
        return false;
      }
      boolean mayBeMore = workOnce(turn, pass);
      if (mayBeMore) {
        turn.again();
      }
      return mayBeMore;
    }
  }

  private boolean workOnce(Turns.Turn turn, Gate.Pass pass) {
    Claimed claimed;
    List<StoredMessage> again;
    boolean mayBeMore;
    try (WorkTransaction transaction = store.begin(workload.endpoint())) {
      int limit = Math.min(pace.batch(), pass.limit());
      List<StoredMessage> messages = claim(transaction, pass.types(), limit);
      pass.claimed(messages);
      mayBeMore = mayBeMore(messages, limit);
      turn.claimed(messages.size(), mayBeMore);
      idle = messages.isEmpty();
      if (idle) {
        return false;
      }
      claimed = Claimed.of(messages);
      again = work(transaction, claimed);
    } catch (BrokenBatchException e) {
      recovery.charge(e);
      return true;
    } catch (LostBatchException e) {
      if (!recovery.charge(e)) {
        throw e;
      }
      return true;
    }
    try {
      recovery.runAgain(again);
    } catch (Throwable e) {
      recovery.notRun(claimed.suspects());
      throw e;
    }
    recovery.runTogether(claimed.suspects());
    for (StoredMessage suspect : claimed.loners()) {
      if (!stopping) {
        recovery.runAlone(suspect);
      }
    }
    return mayBeMore;
  }

  /**
   * Claims messages with or without an ordering key, whichever kind this endpoint mostly has; the
   * other kind when there are none, and every now and then, so that neither waits for ever. Where
   * no key is asked for there is one only from former times, and as long as none was found a look
   * before idling is enough.
   */
  private List<StoredMessage> claim(WorkTransaction transaction, Set<String> types, int limit) {
    boolean otherFirst = ++rounds % OTHER_KIND_EVERY == 0;
    boolean ordered = workload.ordered() != otherFirst;
    List<StoredMessage> messages = claim(transaction, ordered, types, limit);
    boolean lookOn = workload.ordered() || otherFirst || idle || otherKind;
    if (messages.isEmpty() && lookOn) {
      ordered = !ordered;
      messages = claim(transaction, ordered, types, limit);
    }
    if (ordered != workload.ordered()) {
      otherKind = !messages.isEmpty();
    }
    return messages;
  }

  /**
   * Messages with an ordering key are claimed from one lane, and others may have some; and who has
   * found one kind has not looked for the other.
   */
  private boolean mayBeMore(List<StoredMessage> claimed, int limit) {
    return claimed.size() == limit
        || (!claimed.isEmpty()
            && (workload.ordered() || otherKind || claimed.get(0).orderingKey() != null));
  }

  private static List<StoredMessage> claim(
      WorkTransaction transaction, boolean ordered, Set<String> types, int limit) {
    return ordered ? transaction.claimOrdered(types, limit) : transaction.claim(types, limit);
  }

  /** Handles what nobody has died over; returns what failed and is to run again, alone. */
  private List<StoredMessage> work(WorkTransaction transaction, Claimed claimed) {
    long begin = System.nanoTime();
    Batch batch =
        Batch.of(workload, handlers, store, transaction, claimed.fresh(), () -> stopping)
            .checked(pace.isWary());
    batch.run(
        pace.segment(),
        results -> {
          Duration time = Duration.ofNanos(System.nanoTime() - begin);
          recovery.note(transaction, claimed.suspects());
          transaction.commit(Result.outcomes(results));
          pace.took(results.size(), time, Result.anyFailed(results) || !batch.again().isEmpty());
          recovery.ended(results);
        });
    return batch.again();
  }
}
