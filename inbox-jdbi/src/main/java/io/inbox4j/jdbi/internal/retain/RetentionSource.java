package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.jdbi.internal.retain.Partitions.Partition;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table that the retention job scans.
 *
 * @param name under which the scan position is saved
 * @param table the table
 * @param page the statement that reads the next page
 * @param young the condition that nothing after the page can be old
 * @param unlist what else is deleted with a message
 * @param age the minimum age of its rows; null for a table that still grows, whose scan restarts
 *     from time to time because rows behind its position get old, too
 */
record RetentionSource(
    String name, String table, String page, String young, String unlist, @Nullable Duration age) {

  /** A partition that is dropped as a whole once its messages are gone. */
  static RetentionSource whole(Partition partition) {
    return new RetentionSource(
        partition.name(),
        partition.table(),
        RetentionSql.processedIn(partition.table()),
        RetentionSql.NEVER_TOO_LATE,
        "",
        partition.age());
  }

  /** A table whose rows are deleted together with the messages. */
  static RetentionSource rowByRow(String name) {
    String table = "{inbox}." + name;
    return new RetentionSource(
        name,
        table,
        RetentionSql.processedIn(table),
        RetentionSql.CAME_TOO_LATE,
        RetentionSql.unlistFrom(table),
        null);
  }

  /** Dead messages that were discarded. */
  static RetentionSource discarded() {
    return interventions("discarded", RetentionSql.DISCARDED);
  }

  /** The history of interventions. */
  static RetentionSource history() {
    return interventions("history", RetentionSql.HISTORY);
  }

  private static RetentionSource interventions(String name, String page) {
    return new RetentionSource(
        name, "{inbox}.inbox_interventions", page, RetentionSql.DONE_TOO_LATE, "", null);
  }

  boolean laps() {
    return age == null;
  }

  /** The windows of the endpoints that have something old in it. */
  RetentionWindows of(RetentionWindows windows) {
    return age == null ? windows : windows.upTo(age);
  }

  /** What a scan with these windows looks for. */
  List<String> scope(RetentionWindows windows) {
    return age == null ? windows.endpointsAndAges() : windows.endpoints();
  }
}
