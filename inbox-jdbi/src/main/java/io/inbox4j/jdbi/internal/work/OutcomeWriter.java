package io.inbox4j.jdbi.internal.work;

import io.inbox4j.error.InboxException;
import io.inbox4j.handler.Postpone;
import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.store.Outcome;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** Writes the outcomes of messages: one statement for all outcomes of a kind. */
final class OutcomeWriter {

  private final Handle handle;
  private final String endpoint;

  OutcomeWriter(Handle handle, String endpoint) {
    this.handle = handle;
    this.endpoint = endpoint;
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
      handle
          .createUpdate(first + (joined ? Sql.PROCESSED : Sql.PROCESSED_AND_COMMIT))
          .bind("seqs", PgArray.longs(processed, Outcome::sequence))
          .bind("count", processed.size())
          .bind("endpoint", endpoint)
          .execute();
    }
    handle.commit(); // sends nothing if the transaction has already ended
  }

  static <T extends Outcome> List<T> only(List<Outcome> outcomes, Class<T> kind) {
    return outcomes.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private void dead(List<Outcome.Dead> dead) {
    if (!dead.isEmpty()) {
      Update update = handle.createUpdate(Sql.DEAD);
      update.bind("errors", PgArray.texts(dead, Outcome.Dead::error));
      update.bind("holds", PgArray.booleans(dead, Outcome.Dead::holdsKey));
      move(update, dead);
    }
  }

  private void retried(List<Outcome.Retry> retries) {
    if (!retries.isEmpty()) {
      Update update = handle.createUpdate(Sql.RETRY);
      update.bind("errors", PgArray.texts(retries, Outcome.Retry::error));
      update.bind("delays", PgArray.texts(retries, retry -> retry.delay().toString()));
      update.bind("alone", PgArray.booleans(retries, Outcome.Retry::alone));
      move(update, retries);
    }
  }

  private void postponed(List<Outcome.Postponed> postponed) {
    if (!postponed.isEmpty()) {
      Update update = handle.createUpdate(Sql.POSTPONED);
      update.bind("times", PgArray.texts(postponed, it -> time(it.when())));
      update.bind("delays", PgArray.texts(postponed, it -> delay(it.when())));
      move(update, postponed);
    }
  }

  private static @Nullable String time(Postpone.When when) {
    return when instanceof Postpone.When.At at ? at.time().toString() : null;
  }

  private static @Nullable String delay(Postpone.When when) {
    return when instanceof Postpone.When.After after ? after.delay().toString() : null;
  }

  /** Moves messages with one statement, which must find all of them. */
  private <T extends Outcome> void move(Update update, List<T> outcomes) {
    int moved = update.bind("seqs", PgArray.longs(outcomes, Outcome::sequence)).execute();
    if (moved != outcomes.size()) {
      throw new InboxException(
          "%d of %d messages of %s were not there any more when they got their outcome; the batch is undone"
              .formatted(outcomes.size() - moved, outcomes.size(), endpoint));
    }
  }
}
