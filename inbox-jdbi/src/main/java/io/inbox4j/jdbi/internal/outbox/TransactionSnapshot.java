package io.inbox4j.jdbi.internal.outbox;

import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Which transactions a statement sees.
 *
 * @param next the first id that had not been seen to end: this one and all higher ones are in
 *     progress, or have not begun
 * @param inProgress the lower ones that are in progress
 */
record TransactionSnapshot(long next, NavigableSet<Long> inProgress) {

  /** Reads PostgreSQL's text form: {@code xmin:xmax:xip_list}. */
  static TransactionSnapshot parse(String text) {
    String[] parts = text.split(":", -1);
    List<String> ids = parts[2].isEmpty() ? List.of() : Arrays.asList(parts[2].split(","));
    NavigableSet<Long> inProgress = new TreeSet<>();
    ids.forEach(id -> inProgress.add(Long.valueOf(id)));
    return new TransactionSnapshot(Long.parseLong(parts[1]), inProgress);
  }

  /** Whether a transaction that has begun had not ended. */
  boolean isInProgress(long transaction) {
    return transaction >= next || inProgress.contains(transaction);
  }
}
