package io.inbox4j.jdbi.internal.outbox;

import io.inbox4j.store.OutboxReader.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a reader of outgoing messages is: it reads on from there, and looks again at the gaps in
 * which late commits may have appeared.
 *
 * <p>So it never reads over what was deleted, which nobody can remove while an old transaction is
 * open. It trusts three properties of how messages are stored: sequences are given out in order, a
 * transaction has its id before its first sequence, and of messages with the same ordering key a
 * lower sequence was committed before another transaction was given a higher one.
 */
final class OutboxCursor {

  /** The statements that read, all with the same snapshot. */
  interface Pages {

    /** The messages after a sequence. */
    OutboxPage after(long sequence);

    /** The messages in gaps. */
    OutboxPage in(List<LateCommits.Gap> gaps);
  }

  /**
   * What was read with one snapshot.
   *
   * @param ahead what comes next
   * @param behind what is in the gaps in which something may have appeared, or null if there are
   *     none
   */
  record Read(OutboxPage ahead, @Nullable OutboxPage behind) {}

  private final LateCommits late = new LateCommits();

  /** What was returned and not settled, and which messages these are. */
  private final Map<Long, UUID> inFlight = new HashMap<>();

  /** Up to here everything was returned that is not in a gap. */
  private long position;

  private @Nullable String server;

  /** Reads. That changes nothing yet: it may turn out to have failed. */
  Read read(Pages pages) {
    OutboxPage ahead = pages.after(position);
    List<LateCommits.Gap> gaps = isOnAnother(ahead) ? List.of() : late.toLookAt(ahead.snapshot());
    return new Read(ahead, gaps.isEmpty() ? null : pages.in(gaps));
  }

  /**
   * Whether this is another run of the server, on which sequences may be given out again: one that
   * has taken over may not have had all of the other's commits.
   */
  private boolean isOnAnother(OutboxPage ahead) {
    return server != null && !server.equals(ahead.server());
  }

  /**
   * Takes what comes next of what was read, up to so many and so many bytes. What was in the gaps
   * comes first: all that a snapshot shows is returned in the order of the sequences, so no message
   * overtakes another one of its key. On another server nothing comes before all that is in flight
   * was settled; then it begins anew.
   *
   * @return empty if it has to be read once more
   */
  Optional<List<Entry>> take(Read read, int limit, long bytes) {
    if (isOnAnother(read.ahead)) {
      if (!inFlight.isEmpty()) {
        return Optional.of(List.of());
      }
      startOver();
      return Optional.empty();
    }
    server = read.ahead.server();
    List<Entry> next = new ArrayList<>();
    boolean nothing = read.ahead.seen() == 0;
    if (read.behind == null) {
      take(read.ahead, read.ahead.entries(), next);
    } else {
      nothing &= read.behind.seen() == 0;
      boolean complete = read.behind.isComplete(limit);
      takeLate(read.ahead.snapshot(), read.behind, complete, next);
      if (complete) {
        take(
            read.ahead,
            next.isEmpty() ? read.ahead.entries() : read.ahead.fitting(next, limit, bytes),
            next);
      }
    }
    return nothing || !next.isEmpty() ? Optional.of(next) : Optional.empty(); // all was in flight
  }

  private void take(OutboxPage ahead, List<Entry> entries, List<Entry> next) {
    if (!entries.isEmpty()) {
      List<Long> sequences = OutboxPage.sequences(entries);
      late.read(
          position, sequences, OpenTransactions.before(ahead.nextTransaction(), ahead.snapshot()));
      position = sequences.get(sequences.size() - 1);
      hand(entries, next);
    }
  }

  private void takeLate(
      TransactionSnapshot snapshot, OutboxPage behind, boolean complete, List<Entry> next) {
    List<Long> sequences = behind.sequences();
    long upTo = complete ? Long.MAX_VALUE - 1 : sequences.get(sequences.size() - 1);
    late.lookedAt(snapshot, sequences, upTo);
    hand(behind.entries(), next);
  }

  private void hand(List<Entry> entries, List<Entry> next) {
    for (Entry entry : entries) {
      if (inFlight.putIfAbsent(entry.sequence(), entry.message().messageId()) == null) {
        next.add(entry);
      }
    }
  }

  /**
   * The id of a message that was returned, or null. Another one may have its sequence after a
   * failover.
   */
  @Nullable UUID idOf(long sequence) {
    return inFlight.get(sequence);
  }

  /** These are gone. */
  void settled(Collection<Long> sequences) {
    sequences.forEach(inFlight::remove);
  }

  /** Begins anew. */
  void startOver() {
    position = 0;
    late.clear();
    inFlight.clear();
    server = null;
  }

  /** How many gaps it may look at again. */
  int gaps() {
    return late.size();
  }
}
