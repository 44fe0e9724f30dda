package io.inbox4j.jdbi;

import io.inbox4j.jdbi.Partitions.Partition;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table that the janitor walks along.
 *
 * @param name under which it is remembered how far it has come
 * @param table the table
 * @param page the statement that reads the next page
 * @param young the condition that nothing after the page can be old
 * @param unlist what else is removed with a message
 * @param age how old all of it is at least; null where rows are added, and where a walk begins anew
 *     from time to time because rows in the back get old, too
 */
record Source(
    String name, String table, String page, String young, String unlist, @Nullable Duration age) {

  /** A partition that is dropped as a whole when its messages are gone. */
  static Source whole(Partition partition) {
    return new Source(
        partition.name(),
        partition.table(),
        RetentionSql.processedIn(partition.table()),
        RetentionSql.NEVER_TOO_LATE,
        "",
        partition.age());
  }

  /** A table whose rows are removed together with the messages. */
  static Source rowByRow(String table) {
    return new Source(
        table,
        table,
        RetentionSql.processedIn(table),
        RetentionSql.CAME_TOO_LATE,
        RetentionSql.unlistFrom(table),
        null);
  }

  /** Messages that were dead and discarded. */
  static Source discarded() {
    return interventions("discarded", RetentionSql.DISCARDED);
  }

  /** What people did. */
  static Source history() {
    return interventions("history", RetentionSql.HISTORY);
  }

  private static Source interventions(String name, String page) {
    return new Source(name, "inbox_interventions", page, RetentionSql.DONE_TOO_LATE, "", null);
  }

  boolean laps() {
    return age == null;
  }

  /** Those endpoints that have something old in it. */
  Windows of(Windows windows) {
    return age == null ? windows : windows.upTo(age);
  }

  /** What a walk with these windows looks for. */
  List<String> scope(Windows windows) {
    return age == null ? windows.endpointsAndAges() : windows.endpoints();
  }
}
