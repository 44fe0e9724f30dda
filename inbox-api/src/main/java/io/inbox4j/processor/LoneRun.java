package io.inbox4j.processor;

import io.inbox4j.event.EventReader;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.retry.RetryDecision;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * Runs suspects, each in a transaction of its own.
 *
 * <p>A suspect was in hand when a transaction ended without an outcome: its worker crashed, or lost
 * the database. One of them may be what killed the process. So before a suspect runs, that is noted
 * durably; if it kills the process again, the note counts as an attempt, and after the last one the
 * message is dead.
 */
final class LoneRun {

  private static final Duration MIN_HOLD_BACK = Duration.ofSeconds(1);

  private final Workload workload;
  private final EventReader reader;
  private final InboxStore store;
  private final SafeListener listener;
  private final Outcomes outcomes;
  private final BooleanSupplier stopping;
  private final Queue<Long> unjustlyNoted = new ArrayDeque<>();

  LoneRun(
      Workload workload,
      EventReader reader,
      InboxStore store,
      SafeListener listener,
      Outcomes outcomes,
      BooleanSupplier stopping) {
    this.workload = workload;
    this.reader = reader;
    this.store = store;
    this.listener = listener;
    this.outcomes = outcomes;
    this.stopping = stopping;
  }

  /** Takes back the notes of runs that the infrastructure ended, as soon as it lets us. */
  void settle() {
    for (Long sequence = unjustlyNoted.peek(); sequence != null; sequence = unjustlyNoted.peek()) {
      store.takeBack(sequence);
      unjustlyNoted.remove();
    }
  }

  void run(StoredMessage suspect) {
    boolean givenUp = isGivenUp(suspect);
    if (!givenUp && !store.beginAlone(suspect.sequence(), holdBack(suspect))) {
      return;
    }
    try (WorkTransaction transaction = store.begin(workload.endpoint())) {
      Optional<StoredMessage> claimed = transaction.claim(suspect.sequence());
      if (claimed.isEmpty() || (givenUp && claimed.get().crashes() != suspect.crashes())) {
        return;
      }
      StoredMessage message = claimed.get();
      List<Result> results = givenUp ? giveUp(message) : handle(transaction, message);
      transaction.commit(results.stream().map(Result::outcome).toList());
      listener.tell(l -> l.recovered(outcomes.describe(message)));
      outcomes.committed(results);
    } catch (StoreUnavailableException | AbandonedException e) {
      if (!givenUp) {
        unjustlyNoted.add(suspect.sequence());
      }
      throw e;
    }
  }

  private List<Result> handle(WorkTransaction transaction, StoredMessage message) {
    return new Batch(workload, reader, store, transaction, List.of(message), stopping).run(1);
  }

  /** Whether the last attempt that there is has ended with its process. */
  private boolean isGivenUp(StoredMessage suspect) {
    return suspect.crashes() > 0
        && Batch.attemptOf(suspect) >= workload.retryOf(suspect.type()).maxAttempts();
  }

  private static List<Result> giveUp(StoredMessage message) {
    String error =
        "the process died or was lost %d times while it handled this message"
            .formatted(message.crashes());
    Outcome dead = new Outcome.Dead(message.sequence(), error);
    return List.of(new Result(message, Batch.attemptOf(message), dead, null));
  }

  /** How long the message rests if its process dies now: as long as its policy says. */
  private Duration holdBack(StoredMessage suspect) {
    RetryDecision decision =
        workload
            .retryOf(suspect.type())
            .decide(Batch.attemptOf(suspect), new IllegalStateException("the process died"));
    return decision instanceof RetryDecision.RetryAfter retry
            && retry.delay().compareTo(MIN_HOLD_BACK) > 0
        ? retry.delay()
        : MIN_HOLD_BACK;
  }
}
