package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.jdbi.internal.retain.Partitions.Partition;
import io.inbox4j.jdbi.internal.retain.RetentionScan.Page;
import io.inbox4j.jdbi.internal.retain.RetentionScan.Task;
import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * One run of the retention job.
 *
 * <p>If its role owns the tables, it removes the messages of a daily partition, then drops the
 * partition as a whole, unless some endpoint keeps messages in it. The rows of such a partition,
 * those of the default partition, and all rows if the role is not the owner, are deleted together
 * with their messages.
 *
 * <p>The retention is looked up with every step: a process that wants to keep messages longer may
 * start at any time.
 */
final class RetentionRun {

  static final String PROCESSED = "inbox_processed";
  private static final String ARCHIVE = "inbox_archive";

  private final Handle handle;
  private final RetentionLease lease;
  private final RetentionPolicies policies;
  private final RetentionRights rights;
  private final boolean owner;
  private final Predicate<RetentionReport> goOn;
  private final Partitions processed;
  private final Partitions archive;
  private final RetentionTotals totals = new RetentionTotals();
  private boolean ended;

  /** A completed scan: what it looked for, and how many rows are kept for other endpoints. */
  private record Finished(Set<String> scope, long kept) {}

  RetentionRun(
      Handle handle,
      RetentionLease lease,
      RetentionPolicies policies,
      RetentionRights rights,
      Predicate<RetentionReport> goOn) {
    this.handle = handle;
    this.lease = lease;
    this.policies = policies;
    this.rights = rights;
    this.owner = rights.ownsTables(handle);
    this.goOn = goOn;
    this.processed = new Partitions(handle, lease, PROCESSED);
    this.archive = new Partitions(handle, lease, ARCHIVE);
  }

  RetentionReport run() {
    try {
      runTasks();
    } catch (RetentionLease.LostException e) {
      ended = true; // another process continues
    }
    return totals.report();
  }

  private void runTasks() {
    Map<String, Retention> kept =
        step(
            transaction -> {
              RetentionPolicies.forgetGone(transaction);
              return policies.now(transaction);
            });
    if (kept.isEmpty()) {
      return;
    }
    if (owner) {
      processed.createAhead();
    }
    if (owner && kept.values().stream().anyMatch(it -> it.archive() != null)) {
      archive.createAhead();
    }
    sweep(Task.REMOVE);
    if (owner) {
      processed.ahead().forEach(it -> repeat(RetentionSql.bringBackFrom(it), Map.of()));
    }
    if (!windows(Task.EMPTY).isEmpty() && rights.mayEmpty(handle)) {
      sweep(Task.EMPTY);
    }
    expire();
    if (!windows(Task.FORGET).isEmpty() && rights.mayForget(handle)) {
      walk(Task.FORGET, RetentionSource.history());
    }
  }

  private <T extends @Nullable Object> T step(Function<Handle, T> work) {
    return lease.inTransaction(handle, RetentionSql.BE_MODEST, work);
  }

  private RetentionWindows windows(Task task) {
    return RetentionWindows.of(task, policies.now(handle));
  }

  /** Applies the task to all messages that were finished long enough ago. */
  private void sweep(Task task) {
    RetentionWindows windows = windows(task);
    if (windows.isEmpty()) {
      return;
    }
    if (owner) {
      Map<String, Finished> finished = finished(task);
      for (Partition partition : processed.olderThan(windows.shortest())) {
        sweep(task, partition, finished.get(partition.name()));
      }
    }
    walk(task, RetentionSource.rowByRow(owner ? PROCESSED + "_default" : PROCESSED));
    walk(task, RetentionSource.discarded());
  }

  private void sweep(Task task, Partition partition, @Nullable Finished before) {
    RetentionSource source = RetentionSource.whole(partition);
    OptionalLong kept =
        before != null && before.scope.containsAll(source.scope(source.of(windows(task))))
            ? OptionalLong.of(before.kept)
            : walk(task, source);
    if (task != Task.REMOVE || kept.isEmpty()) {
      return;
    }
    if (kept.getAsLong() == 0) {
      if (processed.hasAsSeen(partition)) {
        drop(processed, partition);
      }
    } else {
      sweep(Task.UNLIST, partition, finished(Task.UNLIST).get(partition.name()));
    }
  }

  private Map<String, Finished> finished(Task task) {
    Map<String, Finished> finished = new HashMap<>();
    handle
        .createQuery(RetentionSql.FINISHED)
        .bind("task", task.code())
        .map(
            (row, context) ->
                finished.put(
                    row.getString("source"),
                    new Finished(Set.copyOf(Row.texts(row, "scope")), row.getLong("kept"))))
        .list();
    return finished;
  }

  /**
   * Scans to the end, or to where nothing is old.
   *
   * @return how many rows have to stay, or empty if the scan was stopped early
   */
  private OptionalLong walk(Task task, RetentionSource source) {
    RetentionWindows begin = source.of(windows(task));
    if (ended || begin.isEmpty()) {
      return OptionalLong.empty();
    }
    RetentionScan walk = new RetentionScan(task, source, source.scope(begin));
    long position = step(walk::position);
    RetentionPacing pacing = new RetentionPacing();
    while (true) {
      int limit = pacing.limit();
      long from = position;
      long started = System.nanoTime();
      @Nullable Stride stride = step(transaction -> stride(transaction, walk, from, limit));
      if (stride == null) {
        return OptionalLong.empty(); // the scope has changed; left to the next run
      }
      count(task, stride.page);
      if (!rest(pacing, started)) {
        return OptionalLong.empty();
      }
      if (stride.last) {
        return OptionalLong.of(stride.kept);
      }
      position = stride.page.last();
    }
  }

  /** One page of a scan, whether it is the last, and how many rows have to stay so far. */
  private record Stride(Page page, boolean last, long kept) {}

  private @Nullable Stride stride(
      Handle transaction, RetentionScan walk, long position, int limit) {
    RetentionSource source = walk.source();
    RetentionWindows windows =
        source.of(RetentionWindows.of(walk.task(), policies.now(transaction)));
    if (!source.scope(windows).equals(walk.scope())) {
      return null;
    }
    Page page = walk.step(transaction, windows, position, limit);
    boolean last = page.young() || page.seen() < limit;
    boolean finished = last && !source.laps();
    long kept = page.young() ? 0 : walk.remember(transaction, page, finished);
    return new Stride(page, last, kept);
  }

  private void count(Task task, Page page) {
    totals.archived += page.archived();
    switch (task) {
      case REMOVE -> totals.removed += page.done();
      case EMPTY -> totals.emptied += page.done();
      case FORGET -> totals.forgotten += page.done();
      case UNLIST -> {} // counted when their messages were removed
    }
  }

  /** Deletes what has been in the archive long enough. */
  private void expire() {
    Map<String, Duration> ages = archiveAges(policies.now(handle));
    if (ages.isEmpty()) {
      return;
    }
    if (owner) {
      Duration shortest = ages.values().stream().min(Duration::compareTo).orElseThrow();
      archive.olderThan(shortest).forEach(this::expire);
    }
    ages.keySet().forEach(this::expire);
  }

  private static Map<String, Duration> archiveAges(Map<String, Retention> kept) {
    return kept.entrySet().stream()
        .filter(it -> it.getValue().archive() != null)
        .collect(Collectors.toMap(Map.Entry::getKey, it -> it.getValue().archive()));
  }

  /** Drops a partition in which no endpoint keeps anything. */
  private void expire(Partition partition) {
    Map<String, Duration> ages = archiveAges(policies.now(handle));
    List<String> present =
        step(
            transaction ->
                transaction
                    .createQuery(RetentionSql.endpointsIn(partition.table()))
                    .mapTo(String.class)
                    .list());
    if (present.stream()
        .allMatch(it -> ages.containsKey(it) && ages.get(it).compareTo(partition.age()) <= 0)) {
      drop(archive, partition);
    }
  }

  private void expire(String endpoint) {
    repeat(RetentionSql.BRING_BACK_ARCHIVED, Map.of("endpoint", endpoint));
    RetentionPacing pacing = new RetentionPacing();
    long expired = -1;
    while (!ended && expired != 0) {
      long begin = System.nanoTime();
      expired = step(transaction -> expire(transaction, endpoint, pacing.limit()));
      totals.expired += expired;
      rest(pacing, begin);
    }
  }

  /** Repeats a statement that returns how many rows it affected, until there are none. */
  private void repeat(String sql, Map<String, String> arguments) {
    RetentionPacing pacing = new RetentionPacing();
    long dealtWith = -1;
    while (!ended && dealtWith != 0) {
      long begin = System.nanoTime();
      dealtWith =
          step(
              transaction ->
                  transaction
                      .createQuery(sql)
                      .bindMap(arguments)
                      .bind("limit", pacing.limit())
                      .mapTo(Long.class)
                      .one());
      rest(pacing, begin);
    }
  }

  private int expire(Handle transaction, String endpoint, int limit) {
    Duration age = archiveAges(policies.now(transaction)).get(endpoint);
    return age == null
        ? 0
        : transaction
            .createUpdate(RetentionSql.EXPIRE)
            .bind("endpoint", endpoint)
            .bind("age", new Interval(age))
            .bind("limit", limit)
            .execute();
  }

  private void drop(Partitions partitions, Partition partition) {
    if (!ended && partitions.drop(partition)) {
      totals.partitionsDropped++;
    }
  }

  /** Reports progress and pauses; returns whether to continue. */
  private boolean rest(RetentionPacing pacing, long begin) {
    ended = !goOn.test(totals.report()) || !pacing.rest(System.nanoTime() - begin);
    return !ended;
  }
}
