package io.inbox4j.internal.process;

import io.inbox4j.internal.endpoint.FailureText;
import io.inbox4j.internal.limit.AdaptiveBatchSize;
import io.inbox4j.internal.limit.AdmissionControl;
import io.inbox4j.internal.limit.ClaimThrottle;
import io.inbox4j.internal.loop.ExponentialBackoff;
import io.inbox4j.internal.loop.ResilientLoop;
import io.inbox4j.internal.recover.OrphanRecovery;
import io.inbox4j.internal.run.BatchRunner;
import io.inbox4j.internal.run.BrokenBatchException;
import io.inbox4j.internal.run.ClaimedBatch;
import io.inbox4j.internal.run.HandledMessage;
import io.inbox4j.internal.run.LostBatchException;
import io.inbox4j.internal.run.TransactionLosses;
import io.inbox4j.internal.run.WorkerContext;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker thread of the pool, which claims, handles and commits in a loop. */
final class Worker implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Worker.class);
  private static final Duration SECOND_LOOK = Duration.ofMillis(1_100);

  /** How much more seldom an idle worker looks by itself than {@link DuePoller} does. */
  private static final int SELDOM = 30;

  private final WorkerContext context;
  private final ClaimThrottle claimThrottle;
  private final AdaptiveBatchSize batchSizes;
  private final OrphanRecovery recovery;
  private final ExponentialBackoff backoff =
      new ExponentialBackoff(Duration.ofMillis(50), Duration.ofSeconds(5));
  private boolean idle;
  private volatile boolean stopping;

  Worker(
      WorkerContext context,
      ClaimThrottle claimThrottle,
      AdaptiveBatchSize batchSizes,
      TransactionLosses transactionLosses) {
    this.context = context;
    this.claimThrottle = claimThrottle;
    this.batchSizes = batchSizes;
    this.recovery = new OrphanRecovery(context, transactionLosses, () -> stopping);
  }

  /** Asks the worker to stop after the current batch. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    new ResilientLoop("A worker of " + context.endpoint(), () -> stopping, this::workOrWait).run();
    clearLastMarks();
    context.signal().raise(); // for another worker, in case this one was woken only to stop
  }

  private void workOrWait() throws InterruptedException {
    try {
      boolean wasIdle = idle;
      if (!workOnce()) {
        context.signal().await(wasIdle && idle ? whileIdle() : beforeIdling());
      }
      backoff.reset();
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) { // from the database or a commit: it is reported, and transient
      if (stopping) {
        log.info("A batch of {} was given up to stop; it is free again.", context.endpoint());
        return;
      }
      batchSizes.gaveUp(context.store().failureKind(e) == FailureKind.MESSAGE);
      rest(e);
    }
  }

  private void clearLastMarks() {
    try {
      recovery.settle();
    } catch (Throwable e) { // the worker ends here in any case
      log.warn(
          "The last messages of {} stay marked as a crash risk by a run that was stopped: {}",
          context.endpoint(),
          FailureText.logged(e));
    }
  }

  /**
   * The wait before a worker goes idle: it polls once more, for messages committed out of order.
   */
  private Duration beforeIdling() {
    return context.config().pollInterval().compareTo(SECOND_LOOK) < 0
        ? context.config().pollInterval()
        : SECOND_LOOK;
  }

  /** {@link DuePoller} wakes it when there is something. */
  private Duration whileIdle() {
    return context.config().pollInterval().multipliedBy(SELDOM);
  }

  private void rest(Throwable cause) throws InterruptedException {
    Duration pause = backoff.next();
    context.outcomes().interrupted("Processing", pause, cause);
    context.signal().pause(pause);
  }

  /**
   * Handles a batch, if there is work and it is admitted.
   *
   * @return whether there may be more work already; if not, the signal is raised when there is
   */
  private boolean workOnce() {
    recovery.settle();
    try (ClaimThrottle.Turn turn = claimThrottle.take();
        AdmissionControl.Admission admission =
            turn == null ? null : context.admissionControl().enter()) {
      if (turn == null) {
        return false;
      }
      if (admission == null) {
        idle = true;
        return false;
      }
      boolean mayBeMore = workOnce(turn, admission);
      if (mayBeMore) {
        turn.again();
      }
      return mayBeMore;
    }
  }

  private boolean workOnce(ClaimThrottle.Turn turn, AdmissionControl.Admission admission) {
    ClaimedBatch claimed;
    List<ClaimedMessage> again;
    boolean mayBeMore;
    try (WorkTransaction transaction = context.begin()) {
      int limit = Math.min(batchSizes.batch(), admission.limit());
      List<ClaimedMessage> messages = transaction.claim(admission.types(), limit);
      admission.claimed(messages);
      mayBeMore = transaction.mayHaveMore();
      turn.claimed(messages.size(), mayBeMore);
      idle = messages.isEmpty() && !mayBeMore;
      if (messages.isEmpty()) {
        transaction.commit(List.of());
        return mayBeMore;
      }
      claimed = ClaimedBatch.of(messages);
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
      recovery.notRun(claimed.orphans());
      throw e;
    }
    recovery.runTogether(claimed.orphans());
    for (ClaimedMessage orphan : claimed.isolated()) {
      if (!stopping) {
        recovery.runAlone(orphan);
      }
    }
    return mayBeMore;
  }

  /** Handles the fresh messages; returns those that failed and have to run again, alone. */
  private List<ClaimedMessage> work(WorkTransaction transaction, ClaimedBatch claimed) {
    long begin = System.nanoTime();
    BatchRunner batch =
        BatchRunner.of(context, transaction, claimed.fresh(), () -> stopping)
            .checked(batchSizes.isWary());
    batch.run(
        batchSizes.segment(),
        results -> {
          Duration time = Duration.ofNanos(System.nanoTime() - begin);
          recovery.markCrashRisk(transaction, claimed.orphans());
          transaction.commit(HandledMessage.outcomes(results));
          batchSizes.took(
              results.size(),
              time,
              transaction.databaseTime(),
              HandledMessage.anyFailed(results) || !batch.again().isEmpty());
          recovery.ended(results);
        });
    return batch.again();
  }
}
