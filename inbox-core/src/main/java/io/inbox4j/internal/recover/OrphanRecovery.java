package io.inbox4j.internal.recover;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.endpoint.TransactionLostException;
import io.inbox4j.internal.limit.AdaptiveBatchSize;
import io.inbox4j.internal.run.AbandonedException;
import io.inbox4j.internal.run.BatchRunner;
import io.inbox4j.internal.run.BrokenBatchException;
import io.inbox4j.internal.run.ClaimedBatch;
import io.inbox4j.internal.run.HandledMessage;
import io.inbox4j.internal.run.LostBatchException;
import io.inbox4j.internal.run.TransactionLosses;
import io.inbox4j.internal.run.WorkerContext;
import io.inbox4j.retry.RetryDecision;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs orphaned messages: those that were in flight when a worker died or gave up.
 *
 * <p>One of them may be what crashed the process. So orphaned messages are durably marked as a
 * crash risk before they run. The first time they run together, because most workers die for
 * another reason. Those whose process dies again run alone from then on, and each further mark
 * counts as an attempt: after the last one the message is dead.
 */
public final class OrphanRecovery {

  private static final Duration MIN_HOLD_BACK = Duration.ofSeconds(1);

  private final WorkerContext context;
  private final TransactionLosses transactionLosses;
  private final BooleanSupplier stopping;
  private final List<Long> unjustlyMarked = new ArrayList<>();

  public OrphanRecovery(
      WorkerContext context, TransactionLosses transactionLosses, BooleanSupplier stopping) {
    this.context = context;
    this.transactionLosses = transactionLosses;
    this.stopping = stopping;
  }

  /**
   * Clears the crash-risk marks of runs that an infrastructure failure ended, as soon as the store
   * is available.
   */
  public void settle() {
    if (!unjustlyMarked.isEmpty()) {
      context.store().clearCrashRisk(unjustlyMarked);
      unjustlyMarked.clear();
    }
  }

  /**
   * Marks orphaned messages that run together as a crash risk, in the transaction that claimed
   * them.
   */
  public void markCrashRisk(WorkTransaction transaction, List<ClaimedMessage> group) {
    if (!group.isEmpty()) {
      transaction.markCrashRisk(sequences(group), holdBack(group.get(0)));
    }
  }

  /**
   * Schedules the marks of orphaned messages to be cleared, because they do not run now for an
   * unrelated reason.
   */
  public void notRun(List<ClaimedMessage> group) {
    unjustlyMarked.addAll(sequences(group));
  }

  private void settleCulprit(BrokenBatchException broken) {
    settle(
        broken.orphans().get(0),
        message -> context.config().outcomeOf(message, broken.failure(), null),
        broken.failure());
  }

  /** Runs orphaned messages that were marked together. */
  public void runTogether(List<ClaimedMessage> group) {
    try {
      if (!group.isEmpty()) {
        run(group);
      }
    } catch (BrokenBatchException e) { // they are marked, so they run alone from now on
      context.outcomes().broken(e);
      if (e.isSolved()) {
        List<Long> others = new ArrayList<>(sequences(group));
        others.removeAll(sequences(e.orphans()));
        unjustlyMarked.addAll(others);
        settleCulprit(e);
      }
    }
  }

  /** Marks an orphaned message and runs it alone, or gives up on it if its attempts are used up. */
  public void runAlone(ClaimedMessage orphan) {
    if (isGivenUp(context.config(), orphan)) {
      giveUp(orphan);
    } else if (context.store().markCrashRiskAlone(orphan.sequence(), holdBack(orphan))) {
      try {
        run(List.of(orphan));
      } catch (InboxException e) {
        if (e instanceof BrokenBatchException broken) {
          charge(broken);
        } else if (context.store().failureKind(e) == FailureKind.MESSAGE
            && !(e instanceof AbandonedException)) {
          settle(orphan, message -> context.config().outcomeOf(message, e, null), e);
        } else {
          throw e;
        }
      }
    }
  }

  /**
   * Charges the messages of a batch whose transaction was ended by one of their handlers: the
   * culprit with an attempt or, if it is not known, all of them with having to run alone. Messages
   * that another worker has claimed by now are left to that worker.
   */
  public void charge(BrokenBatchException broken) {
    context.outcomes().broken(broken);
    if (broken.isSolved()) {
      settleCulprit(broken);
    } else {
      try (WorkTransaction transaction = context.begin()) {
        transaction.markCrashRisk(
            sequences(transaction.reclaim(sequences(broken.orphans()))), Duration.ZERO);
        transaction.commit(List.of());
      }
    }
  }

  /**
   * Charges a message with an attempt if it was alone when the transaction was lost, several times
   * in a row, although the database answers other connections. One that was not alone is orphaned
   * now.
   *
   * @return whether it has an outcome
   */
  public boolean charge(LostBatchException lost) {
    if (!lost.isAlone() || stopping.getAsBoolean()) {
      return false;
    }
    ClaimedMessage message = lost.orphans().get(0);
    Throwable cause = lost.getCause();
    int times = transactionLosses.add(message.sequence());
    if (times > 0) {
      context.outcomes().lost(message, times, cause);
    }
    if (times < TransactionLosses.PER_ATTEMPT) {
      return false;
    }
    TransactionLostException failure = new TransactionLostException(times, cause);
    return settle(message, it -> context.config().outcomeOf(it, failure, null), failure);
  }

  /** Whether the last attempt ended with a crash of its process. */
  public static boolean isGivenUp(EndpointConfig config, ClaimedMessage orphan) {
    return orphan.crashes() > 1 && orphan.attempt() >= config.retryOf(orphan.type()).maxAttempts();
  }

  /** Whether it is given up on if its process dies once more while handling it. */
  public static boolean isLastChance(EndpointConfig config, ClaimedMessage orphan) {
    return isGivenUp(config, orphan.atRisk());
  }

  private void giveUp(ClaimedMessage orphan) {
    settle(orphan, message -> givenUp(context.config(), message), null);
  }

  public static Outcome givenUp(EndpointConfig config, ClaimedMessage orphan) {
    return config.dead(
        orphan,
        "the process died or was lost %d times while it handled this message alone"
            .formatted(orphan.crashes() - 1));
  }

  /**
   * Gives a message an outcome without handling it: its handler, or its commit, failed before.
   *
   * @return whether the outcome was written; false if another worker has claimed the message by now
   */
  private boolean settle(
      ClaimedMessage orphan, Function<ClaimedMessage, Outcome> outcome, @Nullable Throwable why) {
    try (WorkTransaction transaction = context.begin()) {
      for (ClaimedMessage message : transaction.reclaim(List.of(orphan.sequence()))) {
        HandledMessage result =
            new HandledMessage(message, message.attempt(), outcome.apply(message), why);
        transaction.commit(List.of(result.outcome()));
        ended(List.of(result));
        return true;
      }
    }
    return false;
  }

  /** Reports messages whose outcomes are committed. */
  public void ended(List<HandledMessage> results) {
    transactionLosses.forget(results);
    context.outcomes().committed(results);
  }

  private void run(List<ClaimedMessage> group) {
    List<ClaimedMessage> again;
    try (WorkTransaction transaction = context.begin()) {
      List<ClaimedMessage> reclaimed = claimAtRisk(transaction, group);
      List<ClaimedMessage> messages = withoutGaps(group, reclaimed);
      BatchRunner batch = BatchRunner.of(context, transaction, messages, stopping).checked(true);
      batch.run(
          AdaptiveBatchSize.WHOLE,
          results -> {
            transaction.clearCrashRisk(without(results, reclaimed));
            transaction.commit(HandledMessage.outcomes(results));
            results.forEach(result -> context.outcomes().recovered(result.message()));
            ended(results);
          });
      again = batch.again();
    } catch (LostBatchException e) {
      lost(group, e);
      return;
    } catch (StoreUnavailableException | AbandonedException e) {
      if (group.size() > 1 || context.store().failureKind(e) != FailureKind.TIMED_OUT) {
        unjustlyMarked.addAll(sequences(group));
      }
      throw e;
    }
    runAgain(again);
  }

  /**
   * Messages that may have caused the loss of the transaction run alone from now on: unless they
   * already did, their crash-risk marks stay. Those of the others are cleared.
   */
  private void lost(List<ClaimedMessage> group, LostBatchException lost) {
    boolean alreadyAlone = group.get(0).crashes() > 0;
    List<Long> orphans = sequences(lost.orphans());
    List<Long> unjustly = new ArrayList<>(sequences(group));
    if (!alreadyAlone) {
      unjustly.removeAll(orphans);
    }
    unjustlyMarked.addAll(unjustly);
    if (!charge(lost)) {
      throw lost;
    }
    unjustlyMarked.removeAll(orphans);
  }

  /**
   * Runs messages that failed terminally in a shared transaction again, each in a transaction of
   * its own: another message may have changed a setting, or taken a name.
   */
  public void runAgain(List<ClaimedMessage> failed) {
    for (ClaimedMessage message : failed) {
      if (!stopping.getAsBoolean()) {
        runAgain(message);
      }
    }
  }

  private void runAgain(ClaimedMessage failed) {
    try (WorkTransaction transaction = context.begin()) {
      ClaimedBatch claimed = ClaimedBatch.of(transaction.claimDue(List.of(failed.sequence())));
      BatchRunner.of(context, transaction, claimed.fresh(), stopping)
          .checked(true)
          .run(
              AdaptiveBatchSize.WHOLE,
              results -> {
                markCrashRisk(transaction, claimed.orphans()); // orphaned since
                transaction.commit(HandledMessage.outcomes(results));
                ended(results);
              });
    } catch (BrokenBatchException e) {
      charge(e);
    } catch (LostBatchException e) {
      if (!charge(e)) {
        throw e;
      }
    }
  }

  /**
   * Claims the messages as they were marked: those that another worker has marked or handled since
   * are left to it. The marks of those that cannot be claimed, because another worker has claimed a
   * message of their key, are cleared.
   */
  private static List<ClaimedMessage> claimAtRisk(
      WorkTransaction transaction, List<ClaimedMessage> group) {
    Map<Long, ClaimedMessage> atRisk = new LinkedHashMap<>();
    group.forEach(message -> atRisk.put(message.sequence(), message.atRisk()));
    List<ClaimedMessage> claimed = new ArrayList<>();
    for (ClaimedMessage message : transaction.claimAtRisk(sequences(group))) {
      ClaimedMessage before = atRisk.remove(message.sequence());
      if (before != null && before.crashes() == message.crashes()) {
        claimed.add(message);
      }
    }
    transaction.restoreUnclaimed(List.copyOf(atRisk.values()));
    return claimed;
  }

  /**
   * Leaves out keys of which another worker has claimed a message by now: later messages must wait.
   */
  private static List<ClaimedMessage> withoutGaps(
      List<ClaimedMessage> group, List<ClaimedMessage> reclaimed) {
    Set<Long> there = new HashSet<>(sequences(reclaimed));
    Set<String> broken = new HashSet<>();
    for (ClaimedMessage message : group) {
      if (message.orderingKey() != null && !there.contains(message.sequence())) {
        broken.add(message.orderingKey());
      }
    }
    return reclaimed.stream()
        .filter(it -> it.orderingKey() == null || !broken.contains(it.orderingKey()))
        .toList();
  }

  /** The messages without an outcome, because an earlier message of their ordering key failed. */
  private static List<Long> without(List<HandledMessage> results, List<ClaimedMessage> messages) {
    Set<Long> left = new HashSet<>(sequences(messages));
    results.forEach(result -> left.remove(result.message().sequence()));
    return List.copyOf(left);
  }

  private static List<Long> sequences(List<ClaimedMessage> messages) {
    return messages.stream().map(ClaimedMessage::sequence).toList();
  }

  /**
   * How long messages stay hidden if their process dies now: the delay of their retry policy, and
   * at least a second.
   */
  private Duration holdBack(ClaimedMessage orphan) {
    RetryDecision decision =
        context
            .config()
            .retryOf(orphan.type())
            .decide(orphan.attempt(), new IllegalStateException("the process died"));
    return decision instanceof RetryDecision.RetryAfter retry
            && retry.delay().compareTo(MIN_HOLD_BACK) > 0
        ? retry.delay()
        : MIN_HOLD_BACK;
  }
}
