package io.inbox4j.jdbi;

import io.inbox4j.jdbi.Partitions.Partition;
import io.inbox4j.jdbi.Walk.Page;
import io.inbox4j.jdbi.Walk.Task;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;

/**
 * One round of the janitor.
 *
 * <p>As the owner of the tables it removes the messages of a day's partition, then drops the
 * partition as a whole. The rows of the default partition, and all rows where it is not the owner,
 * are removed together with their messages.
 */
final class Round {

  static final String PROCESSED = "inbox_processed";
  private static final String ARCHIVE = "inbox_archive";

  private final Handle handle;
  private final Retention retention;
  private final boolean owner;
  private final Predicate<RetentionReport> goOn;
  private final Partitions processed;
  private final Partitions archive;
  private final Tally tally = new Tally();
  private boolean ended;

  Round(Handle handle, Retention retention, boolean owner, Predicate<RetentionReport> goOn) {
    this.handle = handle;
    this.retention = retention;
    this.owner = owner;
    this.goOn = goOn;
    this.processed = new Partitions(handle, PROCESSED);
    this.archive = new Partitions(handle, ARCHIVE);
  }

  RetentionReport run() {
    Duration keep = Objects.requireNonNull(retention.keep());
    Duration dedupWindow = Objects.requireNonNull(retention.dedupWindow());
    if (owner) {
      processed.createAhead();
    }
    if (owner && retention.archive() != null) {
      archive.createAhead();
    }
    sweep(Task.REMOVE, dedupWindow);
    if (keep.compareTo(dedupWindow) < 0) {
      sweep(Task.EMPTY, keep);
    }
    if (retention.archive() != null) {
      expire(retention.archive());
    }
    if (retention.history() != null) {
      walk(new Walk(Task.FORGET, Source.history(), retention.history(), false));
    }
    return tally.report();
  }

  /** Deals with all messages that were done with so long ago. */
  private void sweep(Task task, Duration age) {
    if (owner) {
      for (Partition partition : processed.olderThan(age)) {
        if (walk(task, Source.whole(partition), age) && task == Task.REMOVE) {
          drop(processed, partition);
        }
      }
    }
    walk(task, Source.rowByRow(owner ? PROCESSED + "_default" : PROCESSED), age);
    walk(task, Source.discarded(), age);
  }

  private boolean walk(Task task, Source source, Duration age) {
    return walk(new Walk(task, source, age, retention.archive() != null));
  }

  /** Walks to the end, or to where nothing is old; whether it was not stopped on the way. */
  private boolean walk(Walk walk) {
    if (ended) {
      return false;
    }
    long position = walk.position(handle);
    Pacing pacing = new Pacing();
    while (true) {
      int limit = pacing.limit();
      long begin = System.nanoTime();
      Page page = walk.step(handle, position, limit);
      count(walk.task(), page);
      boolean last = page.young() || page.seen() < limit;
      if (!rest(pacing, begin)) {
        return false;
      }
      if (last) {
        return true;
      }
      position = page.last();
    }
  }

  private void count(Task task, Page page) {
    tally.archived += page.archived();
    switch (task) {
      case REMOVE -> tally.removed += page.done();
      case EMPTY -> tally.emptied += page.done();
      case FORGET -> tally.forgotten += page.done();
    }
  }

  /** Removes what was in the archive for so long. */
  private void expire(Duration age) {
    if (owner) {
      for (Partition partition : archive.olderThan(age)) {
        drop(archive, partition);
      }
    }
    Pacing pacing = new Pacing();
    long expired = -1;
    while (!ended && expired != 0) {
      long begin = System.nanoTime();
      expired = expire(age, pacing.limit());
      tally.expired += expired;
      rest(pacing, begin);
    }
  }

  private long expire(Duration age, int limit) {
    return handle.inTransaction(
        transaction -> {
          transaction.execute(RetentionSql.BE_MODEST);
          return transaction
              .createUpdate(RetentionSql.EXPIRE)
              .bind("age", new Interval(age))
              .bind("limit", limit)
              .execute();
        });
  }

  private void drop(Partitions partitions, Partition partition) {
    if (!ended && partitions.drop(partition)) {
      tally.partitionsDropped++;
    }
  }

  /** Tells what was done and rests; whether to go on. */
  private boolean rest(Pacing pacing, long begin) {
    ended = !goOn.test(tally.report()) || !pacing.rest(System.nanoTime() - begin);
    return !ended;
  }
}
