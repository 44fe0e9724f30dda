package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.operations.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jspecify.annotations.Nullable;

/**
 * A scan over a table in sequence order, page by page, that applies a task to the old rows of every
 * page. Its position is saved with each page, so that no row is scanned repeatedly, whichever
 * process continues.
 *
 * @param task what is done with old rows
 * @param source the table
 * @param scope what it looks for
 */
record RetentionScan(Task task, RetentionSource source, List<String> scope) {

  /** What is done with old rows. */
  enum Task {
    /** Deletes messages together with their identities. */
    REMOVE,
    /** Deletes the rows of messages that no longer exist. */
    UNLIST,
    /** Clears bodies and keeps identities. */
    EMPTY,
    /** Deletes the history of interventions. */
    FORGET;

    /** Whether the task has anything to do under this retention. */
    boolean concerns(Retention retention) {
      Duration age = age(retention);
      return age != null && (this != EMPTY || age.compareTo(retention.dedupWindow()) < 0);
    }

    /** The age at which the task applies; null for never. */
    @Nullable Duration age(Retention retention) {
      return switch (this) {
        case REMOVE, UNLIST -> retention.dedupWindow();
        case EMPTY -> retention.keep();
        case FORGET -> retention.history();
      };
    }

    private String sql(RetentionSource source) {
      return switch (this) {
        case REMOVE -> RetentionSql.remove(source.page(), source.unlist(), source.young());
        case UNLIST -> RetentionSql.unlist(source.page(), source.table());
        case EMPTY -> RetentionSql.empty(source.page(), source.young());
        case FORGET -> RetentionSql.forget(source.page(), source.young());
      };
    }

    String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The result for one page.
   *
   * @param seen how many rows it had
   * @param last the position of the last one
   * @param done how many the task was applied to
   * @param archived how many of them were archived
   * @param kept how many have to stay
   * @param young whether nothing after it can be old
   */
  record Page(int seen, long last, long done, long archived, long kept, boolean young) {}

  /** The position to start from. */
  long position(Handle transaction) {
    return transaction
        .createQuery(RetentionSql.GO_ON)
        .bind("task", task.code())
        .bind("source", source.name())
        .bind("scope", PgArray.texts(scope, Function.identity()))
        .bind("laps", source.laps())
        .mapTo(Long.class)
        .one();
  }

  /** Applies the task to the page after this position. */
  Page step(Handle transaction, RetentionWindows windows, long position, int limit) {
    return windows
        .bindTo(transaction.createQuery(task.sql(source)))
        .configure(SqlStatements.class, it -> it.setUnusedBindingAllowed(true))
        .bind("position", position)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new Page(
                    row.getInt("seen"),
                    row.getLong("last"),
                    row.getLong("done"),
                    row.getLong("archived"),
                    row.getLong("kept"),
                    row.getBoolean("young")))
        .one();
  }

  /** Saves the position after this page; returns how many rows have to stay, over all pages. */
  long remember(Handle transaction, Page page, boolean finished) {
    return transaction
        .createQuery(RetentionSql.REMEMBER)
        .bind("task", task.code())
        .bind("source", source.name())
        .bind("position", page.last)
        .bind("seen", page.seen)
        .bind("kept", page.kept)
        .bind("finished", finished)
        .mapTo(Long.class)
        .one();
  }
}
