package io.inbox4j.jdbi.internal.outbox;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The gaps in the sequences that were read: where messages of transactions may appear that drew a
 * sequence but had not committed.
 *
 * <p>A gap is looked at again when one of the transactions has ended that were in progress when it
 * was last looked at, and forgotten when none is left. Which gap is whose is not known, so one that
 * a rollback has left is kept until all of these have ended.
 */
final class LateCommits {

  /** Beyond these, neighbours are merged: more is looked at then, and nothing is missed. */
  static final int MAX_GAPS = 10_000;

  static final int MAX_GROUPS = 100;

  /**
   * Sequences that were not there, the first and the last one included.
   *
   * <p>If there are very many gaps, it may contain some that were.
   */
  record Gap(long first, long last) {}

  /** The gaps that wait for the same transactions. */
  private final Map<OpenTransactions, List<Gap>> gaps = new LinkedHashMap<>();

  /** Forgets everything. */
  void clear() {
    gaps.clear();
  }

  int size() {
    return gaps.values().stream().mapToInt(List::size).sum();
  }

  /**
   * Adds the gaps of what was read.
   *
   * @param after the sequence after which was read
   * @param sequences all that were there, up to the last of them, in order
   * @param writers the transactions that may have drawn a sequence before the last of these, and
   *     were not seen
   */
  void read(long after, List<Long> sequences, OpenTransactions writers) {
    List<Gap> found = new ArrayList<>();
    long last = after;
    for (long sequence : sequences) {
      add(found, last + 1, sequence - 1);
      last = sequence;
    }
    add(writers, found);
    limit();
  }

  /** The gaps in which something may have appeared by now, in order. */
  List<Gap> toLookAt(TransactionSnapshot now) {
    List<Gap> due = new ArrayList<>();
    gaps.forEach(
        (writers, theirs) -> {
          if (writers.hasEndedIn(now)) {
            due.addAll(theirs);
          }
        });
    due.sort(Comparator.comparingLong(Gap::first));
    return due;
  }

  /**
   * Notes what was found in the gaps that are {@link #toLookAt} with this snapshot.
   *
   * @param sequences what was found
   * @param upTo the last sequence that was looked at; the rest stays to be looked at
   */
  void lookedAt(TransactionSnapshot snapshot, Collection<Long> sequences, long upTo) {
    NavigableSet<Long> found = new TreeSet<>(sequences);
    for (OpenTransactions writers : List.copyOf(gaps.keySet())) {
      if (writers.hasEndedIn(snapshot)) {
        List<Gap> left = new ArrayList<>();
        List<Gap> later = new ArrayList<>();
        for (Gap gap : gaps.getOrDefault(writers, List.of())) {
          without(found, gap.first, Math.min(gap.last, upTo), left);
          add(later, Math.max(gap.first, upTo + 1), gap.last);
        }
        gaps.remove(writers);
        add(writers.leftIn(snapshot), left);
        if (!later.isEmpty()) {
          gaps.put(writers, later);
        }
      }
    }
    limit();
  }

  private static void without(NavigableSet<Long> found, long first, long last, List<Gap> into) {
    long next = first;
    if (first <= last) {
      for (long sequence : found.subSet(first, true, last, true)) {
        add(into, next, sequence - 1);
        next = sequence + 1;
      }
    }
    add(into, next, last);
  }

  private static void add(List<Gap> gaps, long first, long last) {
    if (first <= last) {
      gaps.add(new Gap(first, last));
    }
  }

  private void add(OpenTransactions writers, List<Gap> more) {
    if (!writers.isEmpty() && !more.isEmpty()) {
      gaps.computeIfAbsent(writers, it -> new ArrayList<>()).addAll(more);
    }
  }

  private void limit() {
    while (gaps.size() > MAX_GROUPS) {
      List<OpenTransactions> oldest = gaps.keySet().stream().limit(2).toList();
      List<Gap> theirs = new ArrayList<>();
      oldest.forEach(writers -> theirs.addAll(gaps.getOrDefault(writers, List.of())));
      oldest.forEach(gaps::remove);
      add(oldest.get(0).and(oldest.get(1)), theirs);
    }
    if (size() > MAX_GAPS) {
      gaps.values().forEach(LateCommits::mergeNeighbours);
    }
  }

  private static void mergeNeighbours(List<Gap> gaps) {
    gaps.sort(Comparator.comparingLong(Gap::first));
    List<Gap> merged = new ArrayList<>();
    for (int i = 0; i < gaps.size(); i += 2) {
      Gap last = gaps.get(Math.min(i + 1, gaps.size() - 1));
      merged.add(new Gap(gaps.get(i).first, Math.max(gaps.get(i).last, last.last)));
    }
    gaps.clear();
    gaps.addAll(merged);
  }
}
