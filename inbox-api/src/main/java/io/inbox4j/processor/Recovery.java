package io.inbox4j.processor;

import io.inbox4j.InboxException;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.retry.RetryDecision;
import io.inbox4j.store.Fault;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.StoredMessage;
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
 * Runs suspects: messages that were in hand when a worker died or gave up.
 *
 * <p>One of them may be what killed the process. So before suspects run, that is noted durably. The
 * first time they run together, because most workers die for another reason. Those whose process
 * dies once more run alone from then on, and each note counts as an attempt: after the last one the
 * message is dead.
 */
final class Recovery {

  private static final Duration MIN_HOLD_BACK = Duration.ofSeconds(1);

  private final Workload workload;
  private final Handlers handlers;
  private final InboxStore store;
  private final SafeListener listener;
  private final Outcomes outcomes;
  private final Losses losses;
  private final BooleanSupplier stopping;
  private final List<Long> unjustlyNoted = new ArrayList<>();

  Recovery(
      Workload workload,
      Handlers handlers,
      InboxStore store,
      SafeListener listener,
      Outcomes outcomes,
      Losses losses,
      BooleanSupplier stopping) {
    this.workload = workload;
    this.handlers = handlers;
    this.store = store;
    this.listener = listener;
    this.outcomes = outcomes;
    this.losses = losses;
    this.stopping = stopping;
  }

  /** Takes back the notes of runs that the infrastructure ended, as soon as it lets us. */
  void settle() {
    if (!unjustlyNoted.isEmpty()) {
      store.takeBack(unjustlyNoted);
      unjustlyNoted.clear();
    }
  }

  /** Notes suspects that run together, in the transaction that claimed them. */
  void note(WorkTransaction transaction, List<StoredMessage> group) {
    if (!group.isEmpty()) {
      transaction.note(sequences(group), holdBack(group.get(0)));
    }
  }

  /** Suspects that were noted do not run now, for a reason that has nothing to do with them. */
  void notRun(List<StoredMessage> group) {
    unjustlyNoted.addAll(sequences(group));
  }

  private void settleCulprit(BrokenBatchException broken) {
    settle(
        broken.suspects().get(0),
        message -> workload.outcomeOf(message, broken.failure()),
        broken.failure());
  }

  /** Runs suspects that were noted together. */
  void runTogether(List<StoredMessage> group) {
    try {
      if (!group.isEmpty()) {
        run(group);
      }
    } catch (BrokenBatchException e) { // they are noted, so they run alone from now on
      outcomes.broken(e);
      if (e.isSolved()) {
        List<Long> others = new ArrayList<>(sequences(group));
        others.removeAll(sequences(e.suspects()));
        unjustlyNoted.addAll(others);
        settleCulprit(e);
      }
    }
  }

  /** Notes a suspect and runs it alone, or gives up on it if its attempts are used up. */
  void runAlone(StoredMessage suspect) {
    if (isGivenUp(workload, suspect)) {
      giveUp(suspect);
    } else if (store.noteAlone(suspect.sequence(), holdBack(suspect))) {
      try {
        run(List.of(suspect));
      } catch (InboxException e) {
        if (e instanceof BrokenBatchException broken) {
          charge(broken);
        } else if (store.faultOf(e) == Fault.MESSAGE && !(e instanceof AbandonedException)) {
          settle(suspect, message -> workload.outcomeOf(message, e), e);
        } else {
          throw e;
        }
      }
    }
  }

  /**
   * Charges the messages of a batch whose transaction was ended by one of their handlers: the one
   * that did it with an attempt, or, if it is not known which one it was, all of them with having
   * to run alone. Those that are in another hand by now are charged there.
   */
  void charge(BrokenBatchException broken) {
    outcomes.broken(broken);
    if (broken.isSolved()) {
      settleCulprit(broken);
    } else {
      try (WorkTransaction transaction = store.begin(workload.endpoint())) {
        transaction.note(
            sequences(transaction.reclaim(sequences(broken.suspects()))), Duration.ZERO);
        transaction.commit(List.of());
      }
    }
  }

  /**
   * Charges a message with an attempt if it was alone when the transaction was lost, as it was
   * several times before, and the database answers others. One that was not alone is a suspect now.
   *
   * @return whether it has an outcome
   */
  boolean charge(LostBatchException lost) {
    if (!lost.isAlone() || stopping.getAsBoolean()) {
      return false;
    }
    StoredMessage message = lost.suspects().get(0);
    Throwable cause = lost.getCause();
    int times = losses.add(message.sequence());
    if (times > 0) {
      outcomes.lost(message, times, cause);
    }
    if (times < Losses.PER_ATTEMPT) {
      return false;
    }
    TransactionLostException failure = new TransactionLostException(times, cause);
    return settle(message, it -> workload.outcomeOf(it, failure), failure);
  }

  /** Whether the last attempt that there is has ended with its process. */
  static boolean isGivenUp(Workload workload, StoredMessage suspect) {
    return suspect.crashes() > 1
        && suspect.attempt() >= workload.retryOf(suspect.type()).maxAttempts();
  }

  /** Whether it is given up on if its process dies over it once more. */
  static boolean isLastChance(Workload workload, StoredMessage suspect) {
    return isGivenUp(workload, suspect.noted());
  }

  private void giveUp(StoredMessage suspect) {
    settle(suspect, message -> givenUp(workload, message), null);
  }

  static Outcome givenUp(Workload workload, StoredMessage suspect) {
    return workload.dead(
        suspect,
        "the process died or was lost %d times while it handled this message alone"
            .formatted(suspect.crashes() - 1));
  }

  /**
   * Gives a message an outcome without handling it: its handler, or its commit, failed before.
   *
   * @return whether it has got it; not if it is in another hand by now
   */
  private boolean settle(
      StoredMessage suspect, Function<StoredMessage, Outcome> outcome, @Nullable Throwable why) {
    try (WorkTransaction transaction = store.begin(workload.endpoint())) {
      for (StoredMessage message : transaction.reclaim(List.of(suspect.sequence()))) {
        Result result = new Result(message, message.attempt(), outcome.apply(message), why);
        transaction.commit(List.of(result.outcome()));
        ended(List.of(result));
        return true;
      }
    }
    return false;
  }

  /** Messages have got their outcomes, and that is committed. */
  void ended(List<Result> results) {
    losses.forget(results);
    outcomes.committed(results);
  }

  private void run(List<StoredMessage> group) {
    List<StoredMessage> again;
    try (WorkTransaction transaction = store.begin(workload.endpoint())) {
      List<StoredMessage> reclaimed = claimNoted(transaction, group);
      List<StoredMessage> messages = withoutGaps(group, reclaimed);
      Batch batch =
          Batch.of(workload, handlers, store, transaction, messages, stopping).checked(true);
      batch.run(
          Batch.WHOLE,
          results -> {
            transaction.takeBack(without(results, reclaimed));
            transaction.commit(Result.outcomes(results));
            for (Result result : results) {
              listener.tell(l -> l.recovered(outcomes.describe(result.message())));
            }
            ended(results);
          });
      again = batch.again();
    } catch (LostBatchException e) {
      lost(group, e);
      return;
    } catch (StoreUnavailableException | AbandonedException e) {
      if (group.size() > 1 || store.faultOf(e) != Fault.TIMED_OUT) {
        unjustlyNoted.addAll(sequences(group));
      }
      throw e;
    }
    runAgain(again);
  }

  /**
   * Those that may have cost the transaction run alone from now on: if they have not before, their
   * notes stay. It is not the fault of the others.
   */
  private void lost(List<StoredMessage> group, LostBatchException lost) {
    boolean alreadyAlone = group.get(0).crashes() > 0;
    List<Long> suspects = sequences(lost.suspects());
    List<Long> unjustly = new ArrayList<>(sequences(group));
    if (!alreadyAlone) {
      unjustly.removeAll(suspects);
    }
    unjustlyNoted.addAll(unjustly);
    if (!charge(lost)) {
      throw lost;
    }
    unjustlyNoted.removeAll(suspects);
  }

  /**
   * Runs messages that failed for good while they shared a transaction with others, each in one of
   * its own: it may have been a neighbour that changed a setting, or took a name.
   */
  void runAgain(List<StoredMessage> failed) {
    for (StoredMessage message : failed) {
      if (!stopping.getAsBoolean()) {
        runAgain(message);
      }
    }
  }

  private void runAgain(StoredMessage failed) {
    try (WorkTransaction transaction = store.begin(workload.endpoint())) {
      Claimed claimed = Claimed.of(transaction.claimDue(List.of(failed.sequence())));
      Batch.of(workload, handlers, store, transaction, claimed.fresh(), stopping)
          .checked(true)
          .run(
              Batch.WHOLE,
              results -> {
                note(transaction, claimed.suspects()); // somebody has died over it since
                transaction.commit(Result.outcomes(results));
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
   * Claims what was noted, as it was noted: what somebody else has noted or handled since is left
   * to them. What cannot be claimed, because a message of its key is in another hand, was noted in
   * vain.
   */
  private static List<StoredMessage> claimNoted(
      WorkTransaction transaction, List<StoredMessage> group) {
    Map<Long, StoredMessage> noted = new LinkedHashMap<>();
    group.forEach(message -> noted.put(message.sequence(), message.noted()));
    List<StoredMessage> claimed = new ArrayList<>();
    for (StoredMessage message : transaction.claimNoted(sequences(group))) {
      StoredMessage before = noted.remove(message.sequence());
      if (before != null && before.crashes() == message.crashes()) {
        claimed.add(message);
      }
    }
    transaction.putBack(List.copyOf(noted.values()));
    return claimed;
  }

  /**
   * Leaves out the keys of which a message is in another hand by now: what follows it must wait.
   */
  private static List<StoredMessage> withoutGaps(
      List<StoredMessage> group, List<StoredMessage> reclaimed) {
    Set<Long> there = new HashSet<>(sequences(reclaimed));
    Set<String> broken = new HashSet<>();
    for (StoredMessage message : group) {
      if (message.orderingKey() != null && !there.contains(message.sequence())) {
        broken.add(message.orderingKey());
      }
    }
    return reclaimed.stream()
        .filter(it -> it.orderingKey() == null || !broken.contains(it.orderingKey()))
        .toList();
  }

  /** Those that got no outcome, because an earlier message of their ordering key failed. */
  private static List<Long> without(List<Result> results, List<StoredMessage> messages) {
    Set<Long> left = new HashSet<>(sequences(messages));
    results.forEach(result -> left.remove(result.message().sequence()));
    return List.copyOf(left);
  }

  private static List<Long> sequences(List<StoredMessage> messages) {
    return messages.stream().map(StoredMessage::sequence).toList();
  }

  /** How long messages rest if their process dies now: as long as their policy says. */
  private Duration holdBack(StoredMessage suspect) {
    RetryDecision decision =
        workload
            .retryOf(suspect.type())
            .decide(suspect.attempt(), new IllegalStateException("the process died"));
    return decision instanceof RetryDecision.RetryAfter retry
            && retry.delay().compareTo(MIN_HOLD_BACK) > 0
        ? retry.delay()
        : MIN_HOLD_BACK;
  }
}
