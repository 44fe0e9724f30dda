package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.jdbi.internal.sql.Interval;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.Query;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daily partitions of a table: created ahead of time and dropped as a whole. Neither blocks
 * others for more than a moment; if the table is in use, it is retried later.
 */
final class Partitions {

  private static final Logger log = LoggerFactory.getLogger(Partitions.class);

  /** Adding a partition scans the rows of the default partition while others wait. */
  private static final long MAX_DEFAULT_BYTES = 64L * 1024 * 1024;

  private static final int MAX_ATTEMPTS = 5;
  private static final long BETWEEN_ATTEMPTS_NANOS = Duration.ofMillis(200).toNanos();
  private static final Set<String> IN_USE = Set.of("55P03", "57014", "40P01");
  private static final String ROWS_IN_DEFAULT = "23514";

  private final Handle handle;
  private final RetentionLease lease;
  private final String table;

  /** A partition: its name, its qualified name for statements, and the minimum age of its rows. */
  record Partition(String name, String table, Duration age) {}

  Partitions(Handle handle, RetentionLease lease, String table) {
    this.handle = handle;
    this.lease = lease;
    this.table = table;
  }

  /** Partitions that hold nothing younger. */
  List<Partition> olderThan(Duration age) {
    return query(RetentionSql.OLD_PARTITIONS)
        .bind("age", new Interval(age))
        .map(
            (row, context) ->
                new Partition(
                    row.getString("name"),
                    row.getString("qualified"),
                    Duration.ofSeconds(row.getLong("age"))))
        .list();
  }

  /** Partitions that were created while the clock was ahead. */
  List<String> ahead() {
    return query(RetentionSql.PARTITIONS_AHEAD).mapTo(String.class).list();
  }

  /** Creates the missing partitions for today and the coming week. */
  void createAhead() {
    List<String> missing = query(RetentionSql.MISSING_PARTITIONS).mapTo(String.class).list();
    if (missing.isEmpty()) {
      return;
    }
    long rows =
        handle
            .createQuery(RetentionSql.SIZE)
            .bind("table", table + "_default")
            .mapTo(Long.class)
            .one();
    if (rows > MAX_DEFAULT_BYTES) {
      createWeek(rows);
      return;
    }
    for (String statement : missing) {
      if (!execute(statement, transaction -> {})) {
        return;
      }
    }
  }

  /**
   * Creates a single partition for a week beside a large default partition, so that the latter is
   * scanned only once. After that nothing is added to the default partition, and it shrinks.
   */
  private void createWeek(long bytes) {
    List<String> week = query(RetentionSql.MISSING_WEEK).mapTo(String.class).list();
    if (week.isEmpty() || !isTimeToCreate()) {
      return;
    }
    String statement = week.get(0);
    log.info(
        "{}_default has {} MB, which are looked at while others wait: one partition is created for a"
            + " week, old rows are removed one by one",
        table,
        bytes / 1024 / 1024);
    if (!tryTo(RetentionSql.WAIT_A_MOMENT, statement, transaction -> {})) {
      log.warn(
          "A partition could not be created within 5 s, and is tried again in an hour; where that"
              + " fails again and again, execute it when others can wait: {}",
          statement);
    }
  }

  private boolean isTimeToCreate() {
    return lease.inTransaction(
        handle,
        RetentionSql.BE_MODEST,
        transaction ->
            transaction.createUpdate(RetentionSql.IS_TIME_TO_CREATE).bind("table", table).execute()
                == 1);
  }

  /**
   * Whether a partition contains exactly the rows that were scanned. A clock that was set back may
   * have added others; then it is scanned again.
   */
  boolean hasAsSeen(Partition partition) {
    return lease.inTransaction(
        handle,
        RetentionSql.LOOK_AT_ALL,
        transaction -> {
          boolean asSeen =
              transaction
                  .createQuery(RetentionSql.hasAsSeen(partition.table))
                  .bind("source", partition.name)
                  .mapTo(Boolean.class)
                  .one();
          if (!asSeen) {
            forgetPosition(transaction, partition);
          }
          return asSeen;
        });
  }

  private static void forgetPosition(Handle transaction, Partition partition) {
    transaction.createUpdate(RetentionSql.FORGET_POSITION).bind("source", partition.name).execute();
  }

  /** Drops a partition and its saved scan positions; returns whether that succeeded. */
  boolean drop(Partition partition) {
    return execute(
        RetentionSql.drop(partition.table), transaction -> forgetPosition(transaction, partition));
  }

  private boolean execute(String statement, Consumer<Handle> then) {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (tryTo(RetentionSql.DO_NOT_WAIT, statement, then)) {
        return true;
      }
      if (!RetentionPacing.sleep(BETWEEN_ATTEMPTS_NANOS)) {
        return false;
      }
    }
    log.info("{} is in use; this is tried again later: {}", table, statement);
    return false;
  }

  /** Returns true if it is done, or cannot be done because the default partition has such rows. */
  private boolean tryTo(String settings, String statement, Consumer<Handle> then) {
    try {
      lease.inTransaction(
          handle,
          settings,
          transaction -> {
            transaction.execute(statement);
            then.accept(transaction);
            return true;
          });
      log.info("{}", statement);
      return true;
    } catch (JdbiException e) {
      String state = stateOf(e);
      if (ROWS_IN_DEFAULT.equals(state)) {
        return true;
      }
      if (!IN_USE.contains(state)) {
        throw e;
      }
      return false;
    }
  }

  private static String stateOf(JdbiException e) {
    return e.getCause() instanceof SQLException cause ? String.valueOf(cause.getSQLState()) : "";
  }

  private Query query(String sql) {
    return handle.createQuery(sql).bind("table", table);
  }
}
