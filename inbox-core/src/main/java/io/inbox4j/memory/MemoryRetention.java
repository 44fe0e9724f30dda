package io.inbox4j.memory;

import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A run that removes what was kept for long enough: one endpoint is one step. */
final class MemoryRetention {

  private static final Duration DECLARATION_EXPIRY = Duration.ofDays(1);

  private final MemoryTables tables;
  private long removed;
  private long emptied;
  private long archived;
  private long expired;
  private long forgotten;

  MemoryRetention(MemoryTables tables) {
    this.tables = tables;
  }

  void declare(Collection<String> endpoints, Retention retention) {
    tables.locked(
        () -> {
          Instant now = tables.now();
          endpoints.forEach(
              it -> tables.declarations.put(new MemoryTables.Declaration(it, retention), now));
          return true;
        });
  }

  /** The longest that any process wants, by endpoint. */
  Map<String, Retention> declared() {
    return tables.locked(
        () -> {
          Instant gone = tables.now().minus(DECLARATION_EXPIRY);
          Map<String, Retention> longest = new TreeMap<>();
          tables.declarations.forEach(
              (declaration, renewedAt) -> {
                if (renewedAt.isAfter(gone)) {
                  longest.merge(
                      declaration.endpoint(), declaration.retention(), Retention::orLonger);
                }
              });
          return longest;
        });
  }

  Map<String, Retention> requested(
      Collection<String> endpoints, Retention retention, boolean force) {
    Map<String, Retention> longest = declared();
    endpoints.forEach(
        it -> longest.merge(it, retention, force ? (old, mine) -> mine : Retention::orLonger));
    return longest;
  }

  /**
   * @param policies looked up with every step: a process that keeps messages longer may start
   */
  RetentionReport run(Supplier<Map<String, Retention>> policies, Predicate<RetentionReport> goOn) {
    boolean begun = tables.locked(() -> !tables.retaining && (tables.retaining = true));
    if (!begun) {
      return RetentionReport.elsewhere();
    }
    long begin = System.nanoTime();
    try {
      for (String endpoint : List.copyOf(policies.get().keySet())) {
        Retention retention = policies.get().getOrDefault(endpoint, Retention.forever());
        tables.locked(() -> step(endpoint, retention));
        if (Thread.currentThread().isInterrupted() || !goOn.test(report(begin))) {
          break;
        }
      }
      return report(begin);
    } finally {
      tables.whileUpOrDown(() -> tables.retaining = false);
    }
  }

  private RetentionReport report(long begin) {
    return new RetentionReport(
        true,
        removed,
        emptied,
        archived,
        expired,
        forgotten,
        0,
        Duration.ofNanos(System.nanoTime() - begin));
  }

  private boolean step(String endpoint, Retention retention) {
    Instant now = tables.now();
    for (FinishedRow row : List.copyOf(tables.finished.values())) {
      if (row.message().endpoint().equals(endpoint)) {
        retain(row, retention, now);
      }
    }
    int before = tables.archive.size();
    tables.archive.removeIf(
        row ->
            row.message().endpoint().equals(endpoint) && isOld(row.at(), retention.archive(), now));
    expired += before - tables.archive.size();
    before = tables.interventions.size();
    tables.interventions.removeIf(
        it -> it.endpoint().equals(endpoint) && isOld(it.at(), retention.history(), now));
    forgotten += before - tables.interventions.size();
    return true;
  }

  private void retain(FinishedRow row, Retention retention, Instant now) {
    long sequence = row.message().sequence();
    boolean remove = isOld(row.at(), retention.dedupWindow(), now);
    boolean empty = !row.message().emptied() && isOld(row.at(), retention.keep(), now);
    if (!remove && !empty) {
      return;
    }
    if (retention.archive() != null && !row.message().emptied()) {
      tables.archive.add(new FinishedRow(row.message(), now, row.attempts()));
      archived++;
    }
    tables.attempts.remove(sequence);
    if (remove) {
      tables.finished.remove(sequence);
      tables.messages.remove(row.message().identity());
      removed++;
    } else {
      StoredMessage rest = row.message().empty();
      tables.finished.put(sequence, new FinishedRow(rest, row.at(), row.attempts()));
      tables.messages.put(rest.identity(), rest);
      emptied++;
    }
  }

  /** Whether it is at least of this age; null is never. */
  private static boolean isOld(Instant at, @Nullable Duration age, Instant now) {
    return age != null && !at.plus(age).isAfter(now);
  }
}
