package io.inbox4j.jdbi.internal.outbox;

import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Transactions that somebody waits for: some, and all of a range of ids, of which not every one has
 * to exist.
 *
 * @param ids those that are known one by one
 * @param from the first id of the range
 * @param to the id after the range; the same as {@code from} if there is none
 */
record OpenTransactions(NavigableSet<Long> ids, long from, long to) {

  OpenTransactions {
    if (from >= to) {
      from = 0;
      to = 0;
    }
  }

  /** All with lower ids than this one that the snapshot does not see. */
  static OpenTransactions before(long transaction, TransactionSnapshot snapshot) {
    return new OpenTransactions(snapshot.inProgress(), snapshot.next(), transaction);
  }

  boolean isEmpty() {
    return ids.isEmpty() && from == to;
  }

  /** Whether one of them has ended. */
  boolean hasEndedIn(TransactionSnapshot snapshot) {
    long known = Math.min(to, snapshot.next());
    return !ids.stream().allMatch(snapshot::isInProgress)
        || (known > from && snapshot.inProgress().subSet(from, known).size() < known - from);
  }

  /** Those that have not ended. */
  OpenTransactions leftIn(TransactionSnapshot snapshot) {
    NavigableSet<Long> left = new TreeSet<>(ids);
    left.removeIf(id -> !snapshot.isInProgress(id));
    if (from < to) {
      left.addAll(snapshot.inProgress().subSet(from, true, to, false));
    }
    return new OpenTransactions(left, Math.max(from, snapshot.next()), to);
  }

  /** These and others, and maybe some more. */
  OpenTransactions and(OpenTransactions others) {
    NavigableSet<Long> all = new TreeSet<>(ids);
    all.addAll(others.ids);
    return from == to
        ? new OpenTransactions(all, others.from, others.to)
        : others.from == others.to
            ? new OpenTransactions(all, from, to)
            : new OpenTransactions(all, Math.min(from, others.from), Math.max(to, others.to));
  }
}
