package io.inbox4j.jdbi;

import java.time.Duration;
import java.util.Locale;
import org.jdbi.v3.core.Handle;

/**
 * A way along a table in the order of a sequence, page by page, on which the old rows of every page
 * are dealt with. Its place is remembered with each page, so that nothing is looked at again and
 * again, whoever goes on.
 *
 * @param task what is done on the way
 * @param source the table
 * @param age how old is old
 * @param archive whether messages are moved to the archive
 */
record Walk(Task task, Source source, Duration age, boolean archive) {

  /** What is done with old rows. */
  enum Task {
    /** Messages go with their identities. */
    REMOVE,
    /** Bodies go, identities stay. */
    EMPTY,
    /** The record of what people did goes. */
    FORGET;

    private String sql(Source source) {
      return switch (this) {
        case REMOVE -> RetentionSql.remove(source.page(), source.unlist(), source.young());
        case EMPTY -> RetentionSql.empty(source.page(), source.young());
        case FORGET -> RetentionSql.forget(source.page(), source.young());
      };
    }

    private String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What was done with a page.
   *
   * @param seen how many rows it had
   * @param last the place of the last one
   * @param done how many were dealt with
   * @param archived how many of them were archived
   * @param young whether nothing after it can be old
   */
  record Page(int seen, long last, long done, long archived, boolean young) {}

  /** Where to begin. */
  long position(Handle handle) {
    return handle
        .createQuery(RetentionSql.GO_ON)
        .bind("task", task.code())
        .bind("source", source.name())
        .bind("laps", source.laps())
        .mapTo(Long.class)
        .one();
  }

  /** Deals with the page after this place, and remembers to go on after it. */
  Page step(Handle handle, long position, int limit) {
    return handle.inTransaction(
        transaction -> {
          transaction.execute(RetentionSql.BE_MODEST);
          Page page = deal(transaction, position, limit);
          if (page.seen > 0 && !page.young) {
            remember(transaction, page.last);
          }
          return page;
        });
  }

  private Page deal(Handle transaction, long position, int limit) {
    return transaction
        .createQuery(task.sql(source))
        .bind("position", position)
        .bind("limit", limit)
        .bind("age", new Interval(age))
        .bind("archive", archive)
        .map(
            (row, context) ->
                new Page(
                    row.getInt("seen"),
                    row.getLong("last"),
                    row.getLong("done"),
                    row.getLong("archived"),
                    row.getBoolean("young")))
        .one();
  }

  private void remember(Handle transaction, long position) {
    transaction
        .createUpdate(RetentionSql.REMEMBER)
        .bind("task", task.code())
        .bind("source", source.name())
        .bind("position", position)
        .execute();
  }
}
