package io.inbox4j.jdbi.internal.work;

import io.inbox4j.error.InboxException;
import io.inbox4j.handler.Postpone;
import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.jdbi.internal.sql.OutcomeSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.store.AttemptFailure;
import io.inbox4j.store.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** Writes the outcomes of messages: one statement for all outcomes of a kind. */
final class OutcomeWriter {

  private final Handle handle;
  private final String endpoint;
  private final LongFunction<Integer> laneOf;

  /**
   * @param laneOf the lane of a message, by its sequence
   */
  OutcomeWriter(Handle handle, String endpoint, LongFunction<Integer> laneOf) {
    this.handle = handle;
    this.endpoint = endpoint;
    this.laneOf = laneOf;
  }

  /** Writes every outcome except processed. */
  void settle(List<Outcome> outcomes) {
    dead(only(outcomes, Outcome.Dead.class));
    retried(only(outcomes, Outcome.Retry.class));
    postponed(only(outcomes, Outcome.Postponed.class));
  }

  /**
   * Commits, together with the processed messages: one round trip, unless the caller commits.
   *
   * @param first the SQL to execute first
   */
  void commit(String first, List<Outcome.Processed> processed) {
    if (!processed.isEmpty()) {
      boolean joined = JoinedTransaction.isOn(handle.getConnection());
      Update update =
          handle.createUpdate(
              first + (joined ? OutcomeSql.PROCESSED : OutcomeSql.PROCESSED_AND_COMMIT));
      bound(update, processed).bind("count", processed.size()).execute();
    }
    handle.commit(); // sends nothing if the transaction has already ended
  }

  static <T extends Outcome> List<T> only(List<Outcome> outcomes, Class<T> kind) {
    return outcomes.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private void dead(List<Outcome.Dead> dead) {
    if (!dead.isEmpty()) {
      Query query = handle.createQuery(OutcomeSql.DEAD);
      query.bind("errors", PgArray.texts(dead, Outcome.Dead::error));
      query.bind("holds", PgArray.booleans(dead, Outcome.Dead::blocksKey));
      record(query, dead.stream().map(Outcome.Dead::failure).toList());
      check(dead, bound(query, dead).mapTo(Integer.class).one());
    }
  }

  private void retried(List<Outcome.Retry> retries) {
    if (!retries.isEmpty()) {
      Query query = handle.createQuery(OutcomeSql.RETRY);
      query.bind("errors", PgArray.texts(retries, Outcome.Retry::error));
      query.bind("delays", PgArray.texts(retries, retry -> retry.delay().toString()));
      query.bind("alone", PgArray.booleans(retries, Outcome.Retry::alone));
      record(query, retries.stream().map(Outcome.Retry::failure).toList());
      check(retries, bound(query, retries).mapTo(Integer.class).one());
    }
  }

  private void postponed(List<Outcome.Postponed> postponed) {
    if (!postponed.isEmpty()) {
      Update update = handle.createUpdate(OutcomeSql.POSTPONED);
      update.bind("times", PgArray.texts(postponed, it -> time(it.when())));
      update.bind("delays", PgArray.texts(postponed, it -> delay(it.when())));
      check(postponed, bound(update, postponed).execute());
    }
  }

  /** Binds what the history keeps of failed attempts. */
  private static void record(Query query, List<AttemptFailure> failures) {
    query.bind("errorClasses", PgArray.texts(failures, AttemptFailure::errorClass));
    query.bind("summaries", PgArray.texts(failures, AttemptFailure::error));
    query.bind("fingerprints", PgArray.texts(failures, AttemptFailure::fingerprint));
    query.bind("tookMillis", PgArray.integers(failures, it -> millis(it.took())));
    query.bind("processes", PgArray.texts(failures, AttemptFailure::process));
  }

  private static @Nullable Integer millis(@Nullable Duration time) {
    return time == null ? null : (int) Math.min(Integer.MAX_VALUE, time.toMillis());
  }

  private static @Nullable String time(Postpone.When when) {
    return when instanceof Postpone.When.At at ? at.time().toString() : null;
  }

  private static @Nullable String delay(Postpone.When when) {
    return when instanceof Postpone.When.After after ? after.delay().toString() : null;
  }

  private <S extends SqlStatement<S>, T extends Outcome> S bound(S statement, List<T> outcomes) {
    return statement
        .bind("endpoint", endpoint)
        .bind("lanes", PgArray.shorts(outcomes, it -> laneOf.apply(it.sequence())))
        .bind("seqs", PgArray.longs(outcomes, Outcome::sequence));
  }

  /** Checks that a statement found all messages. */
  private <T extends Outcome> void check(List<T> outcomes, int moved) {
    if (moved != outcomes.size()) {
      throw new InboxException(
          "%d of %d messages of %s were not there any more when they got their outcome; the batch is undone"
              .formatted(outcomes.size() - moved, outcomes.size(), endpoint));
    }
  }
}
