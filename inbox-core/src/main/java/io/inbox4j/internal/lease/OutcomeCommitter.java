package io.inbox4j.internal.lease;

import io.inbox4j.handler.EventContext;
import io.inbox4j.internal.endpoint.FailureText;
import io.inbox4j.internal.endpoint.TransactionLostException;
import io.inbox4j.internal.limit.AdaptiveBatchSize;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.loop.ResilientLoop;
import io.inbox4j.internal.run.AbandonedException;
import io.inbox4j.internal.run.BatchRunner;
import io.inbox4j.internal.run.BrokenBatchException;
import io.inbox4j.internal.run.HandledMessage;
import io.inbox4j.internal.run.HandlerTransaction;
import io.inbox4j.internal.run.LostBatchException;
import io.inbox4j.internal.run.TransactionLosses;
import io.inbox4j.internal.run.WorkerContext;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits the outcomes of leased messages in batches, if their leases still hold. */
final class OutcomeCommitter {

  private static final Logger log = LoggerFactory.getLogger(OutcomeCommitter.class);
  private static final Duration BACKOFF = Duration.ofMillis(200);
  private static final int MAX_CONFLICTS = 3;

  private final WorkerContext context;
  private final LeaseRenewer renewer;
  private final Runnable committed;
  private final TransactionLosses transactionLosses;
  private final BlockingQueue<Ending> endings = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean stopping;
  private volatile boolean abandoned;

  /** A finished handler call, with its failure or null for success. */
  private record Ending(InFlightMessage leased, @Nullable Throwable failure) {

    ClaimedMessage message() {
      return leased.message();
    }
  }

  /**
   * @param committed called when messages are no longer in flight, after the commit of their
   *     outcomes
   */
  OutcomeCommitter(WorkerContext context, LeaseRenewer renewer, Runnable committed) {
    this.context = context;
    this.renewer = renewer;
    this.committed = committed;
    this.transactionLosses = new TransactionLosses(context.endpoint(), context.store());
    this.thread = new Thread(this::commitAll, "inbox-outcomes-" + context.endpoint());
  }

  void start() {
    thread.start();
  }

  void add(InFlightMessage leased, @Nullable Throwable failure) {
    endings.add(new Ending(leased, failure));
  }

  boolean isAlive() {
    return thread.isAlive();
  }

  /** Lets the thread end once everything added is committed. */
  void stop() {
    stopping = true;
  }

  boolean join(Deadline deadline) {
    return deadline.join(thread);
  }

  /**
   * Abandons outcomes that could not be committed: their messages are handled again, at once if the
   * database answers in time, otherwise when the leases expire.
   */
  void abandon(Deadline deadline) {
    abandoned = true;
    thread.interrupt();
    List<Ending> left = new ArrayList<>();
    endings.drainTo(left);
    if (!left.isEmpty()) {
      List<InFlightMessage> leased = left.stream().map(Ending::leased).toList();
      Thread giver = new Thread(() -> renewer.release(leased), thread.getName() + "-give-back");
      giver.setDaemon(true);
      giver.start();
      deadline.join(giver);
    }
  }

  private void commitAll() {
    new ResilientLoop(
            "Committing what became of messages of " + context.endpoint(),
            () -> abandoned || (stopping && endings.isEmpty()),
            this::commitSome)
        .run();
  }

  private void commitSome() throws InterruptedException {
    Ending first = endings.poll(20, TimeUnit.MILLISECONDS);
    if (first == null) {
      return;
    }
    List<Ending> batch = new ArrayList<>();
    batch.add(first);
    endings.drainTo(batch, context.config().transactionSize() - 1);
    try {
      settle(batch);
    } catch (Throwable e) { // messages without an outcome are due again when their leases expire
      batch.forEach(ending -> renewer.release(ending.leased));
      throw e;
    }
  }

  /**
   * Commits context.outcomes(), however long the database is unavailable, unless they are
   * abandoned.
   */
  private void settle(List<Ending> batch) throws InterruptedException {
    List<Ending> failedBesideOthers = null;
    int lost = 0;
    for (int attempt = 1; failedBesideOthers == null; attempt++) {
      if (abandoned) { // an effect may have swallowed the interrupt
        throw new InterruptedException("the outcomes are given up on");
      }
      try {
        failedBesideOthers = commit(batch);
      } catch (LostBatchException e) {
        lost =
            batch.size() > 1 ? lost + 1 : transactionLosses.add(batch.get(0).message().sequence());
        if (lost >= TransactionLosses.PER_ATTEMPT) {
          settleOneByOne(batch, new TransactionLostException(lost, e.getCause()));
          return;
        }
        lost(batch, lost, e);
        rest();
      } catch (StoreUnavailableException | AbandonedException e) {
        lost = 0; // the database is to blame
        FailureKind fault = context.store().failureKind(e);
        if (fault == FailureKind.TIMED_OUT
            || (fault == FailureKind.CONFLICT && attempt > MAX_CONFLICTS)) {
          settleOneByOne(batch, e);
          return;
        }
        log.warn("The outcomes of {} wait: {}", context.endpoint(), FailureText.logged(e));
        context.outcomes().interrupted(e);
        rest();
      } catch (BrokenBatchException e) {
        context.outcomes().broken(e);
        settleBroken(batch, e);
        return;
      } catch (Throwable e) { // one of them prevents the others from committing
        settleOneByOne(batch, e);
        return;
      }
    }
    for (Ending ending : failedBesideOthers) {
      settle(List.of(ending));
    }
  }

  private void lost(List<Ending> batch, int times, LostBatchException lost) {
    if (batch.size() == 1 && times > 0) {
      context.outcomes().lost(batch.get(0).message(), times, lost.getCause());
    } else {
      log.warn("The outcomes of {} wait: {}", context.endpoint(), FailureText.logged(lost));
    }
    context.outcomes().interrupted(lost);
  }

  /**
   * Waits before a retry. A stray interrupt must not make the thread drop the context.outcomes().
   */
  private void rest() throws InterruptedException {
    try {
      Thread.sleep(BACKOFF.toMillis());
    } catch (InterruptedException e) {
      if (abandoned) {
        throw e;
      }
    }
  }

  /**
   * Settles a batch whose transaction an effect has ended; that effect is not applied again in this
   * attempt.
   */
  private void settleBroken(List<Ending> batch, BrokenBatchException broken)
      throws InterruptedException {
    if (!broken.isSolved()) {
      settleOneByOne(batch, broken);
      return;
    }
    long culprit = broken.orphans().get(0).sequence();
    List<Ending> known = new ArrayList<>(batch.size());
    for (Ending ending : batch) {
      boolean didIt = ending.message().sequence() == culprit;
      known.add(didIt ? new Ending(ending.leased, broken.failure()) : ending);
    }
    settle(known);
  }

  private void settleOneByOne(List<Ending> batch, Throwable cause) throws InterruptedException {
    if (batch.size() > 1) {
      for (Ending ending : batch) {
        settle(List.of(ending));
      }
      return;
    }
    Ending ending = batch.get(0);
    if (ending.failure == null) {
      settle(List.of(new Ending(ending.leased, cause)));
    } else {
      log.error(
          "The outcome of {} of {} cannot be stored; the message is due again when its lease ends",
          ending.message().messageId(),
          context.endpoint(),
          LoggedFailure.of(cause));
      context.outcomes().foundNothing();
      renewer.release(ending.leased);
    }
  }

  /**
   * Commits the outcomes of messages.
   *
   * @return those that have to be retried alone
   */
  private List<Ending> commit(List<Ending> batch) {
    List<HandledMessage> results = new ArrayList<>(batch.size());
    List<Ending> again;
    BatchRunner effects;
    try (WorkTransaction transaction = context.begin()) {
      Set<Lease> ours =
          transaction.claimLeased(batch.stream().map(ending -> ending.leased.lease()).toList());
      Map<Long, InFlightMessage> withEffects = new HashMap<>();
      List<ClaimedMessage> toRun = new ArrayList<>();
      List<Ending> notOurs = new ArrayList<>();
      for (Ending ending : batch) {
        if (!ours.contains(ending.leased.lease())) {
          notOurs.add(ending);
        } else if (ending.failure != null) {
          results.add(failed(ending, ending.failure));
        } else if (ending.leased.effects().isEmpty()) {
          results.add(processed(ending.message()));
        } else {
          withEffects.put(ending.message().sequence(), ending.leased);
          toRun.add(ending.message());
        }
      }
      again = stillHeld(transaction, notOurs);
      effects =
          new BatchRunner(
              context,
              (step, lent) -> applyAll(step, withEffects, lent),
              transaction,
              toRun,
              () -> abandoned);
      effects.run(
          AdaptiveBatchSize.WHOLE,
          applied -> {
            results.addAll(applied);
            transaction.commit(HandledMessage.outcomes(results));
          });
    }
    endings.addAll(again);
    List<Ending> alone =
        batch.stream().filter(it -> effects.again().contains(it.message())).toList();
    batch.stream()
        .filter(it -> !again.contains(it) && !alone.contains(it))
        .forEach(it -> renewer.release(it.leased));
    committed.run();
    tell(results);
    return alone;
  }

  /**
   * The endings whose lease still holds but whose message is locked by a renewal: they are retried.
   */
  private List<Ending> stillHeld(WorkTransaction transaction, List<Ending> notOurs) {
    if (notOurs.isEmpty()) {
      return List.of();
    }
    Set<Lease> held =
        transaction.held(notOurs.stream().map(ending -> ending.leased.lease()).toList());
    List<Ending> again = new ArrayList<>();
    for (Ending ending : notOurs) {
      if (held.contains(ending.leased.lease())) {
        again.add(ending);
      } else {
        tooLate(ending);
      }
    }
    return again;
  }

  private static void applyAll(
      List<ClaimedMessage> step, Map<Long, InFlightMessage> leased, HandlerTransaction transaction)
      throws Exception {
    for (ClaimedMessage message : step) {
      for (EventContext.Effect effect : leased.get(message.sequence()).effects()) {
        transaction.apply(effect);
      }
    }
  }

  private static HandledMessage processed(ClaimedMessage message) {
    Outcome outcome = new Outcome.Processed(message.sequence());
    return new HandledMessage(message, message.attempt(), outcome, null);
  }

  private HandledMessage failed(Ending ending, Throwable failure) {
    ClaimedMessage message = ending.message();
    Outcome outcome = context.config().outcomeOf(message, failure, ending.leased.took());
    return new HandledMessage(message, message.attempt(), outcome, failure);
  }

  private void tooLate(Ending ending) {
    log.warn(
        "{} of {} has ended after its lease: another worker has the message, nothing is changed",
        ending.message().messageId(),
        context.endpoint());
  }

  private void tell(List<HandledMessage> results) {
    results.stream()
        .map(HandledMessage::message)
        .filter(ClaimedMessage::orphaned)
        .forEach(context.outcomes()::recovered);
    transactionLosses.forget(results);
    context.outcomes().committed(results);
    if (results.stream().anyMatch(result -> result.message().orderingKey() != null)) {
      context.signal().raise(); // the next message of a key may begin
    }
  }
}
