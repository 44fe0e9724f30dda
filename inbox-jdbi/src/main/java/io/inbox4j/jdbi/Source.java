package io.inbox4j.jdbi;

import io.inbox4j.jdbi.Partitions.Partition;

/**
 * A table that the janitor walks along.
 *
 * @param name under which it is remembered how far it has come
 * @param page the statement that reads the next page
 * @param young the condition that nothing after the page can be old
 * @param unlist what else is removed with a message
 * @param laps whether it is walked along again from time to time: rows in the back get old, too
 */
record Source(String name, String page, String young, String unlist, boolean laps) {

  /** A partition that is dropped as a whole when its messages are gone. */
  static Source whole(Partition partition) {
    String page = RetentionSql.processedIn(partition.table());
    return new Source(partition.name(), page, RetentionSql.CAME_TOO_LATE, "", false);
  }

  /** A table whose rows are removed together with the messages. */
  static Source rowByRow(String table) {
    return new Source(
        table,
        RetentionSql.processedIn(table),
        RetentionSql.CAME_TOO_LATE,
        RetentionSql.unlistFrom(table),
        true);
  }

  /** Messages that were dead and discarded. */
  static Source discarded() {
    return new Source("discarded", RetentionSql.DISCARDED, RetentionSql.DONE_TOO_LATE, "", false);
  }

  /** What people did. */
  static Source history() {
    return new Source("history", RetentionSql.HISTORY, RetentionSql.DONE_TOO_LATE, "", true);
  }
}
