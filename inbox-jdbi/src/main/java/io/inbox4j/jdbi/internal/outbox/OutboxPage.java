package io.inbox4j.jdbi.internal.outbox;

import io.inbox4j.store.OutboxReader.Entry;
import java.util.List;

/**
 * What a statement has read.
 *
 * @param entries messages in order: the first ones of those that it has seen, as many as were
 *     allowed
 * @param seen how many it has seen
 * @param snapshot which transactions it saw
 * @param nextTransaction an id that was drawn after the snapshot was taken, and so is higher than
 *     those of all who had written by then; 0 if nothing was seen
 * @param server the run of the server
 */
record OutboxPage(
    List<Entry> entries,
    int seen,
    TransactionSnapshot snapshot,
    long nextTransaction,
    String server) {

  /** Whether there was nothing else, where up to so many were asked for. */
  boolean isComplete(int limit) {
    return entries.size() == seen && seen < limit;
  }

  List<Long> sequences() {
    return sequences(entries);
  }

  static List<Long> sequences(List<Entry> entries) {
    return entries.stream().map(Entry::sequence).toList();
  }

  /** The first of its entries that fit after others: up to so many and so many bytes in all. */
  List<Entry> fitting(List<Entry> others, int limit, long bytes) {
    int count = 0;
    long size = others.stream().mapToLong(OutboxPage::size).sum();
    while (count < Math.min(limit - others.size(), entries.size())) {
      size += size(entries.get(count));
      if (size > bytes) {
        break;
      }
      count++;
    }
    return entries.subList(0, count);
  }

  private static long size(Entry entry) {
    return entry.message().body().length;
  }
}
