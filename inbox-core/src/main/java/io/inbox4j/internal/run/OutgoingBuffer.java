package io.inbox4j.internal.run;

import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkTransaction;
import java.util.ArrayList;
import java.util.List;

/**
 * What handlers have published and the database has not got yet.
 *
 * <p>It is sent just before the commit, so that the ordering keys of all of it are locked at once
 * and for a short time. Only if there is a lot of it, a part is sent while a handler runs.
 */
final class OutgoingBuffer {

  static final int MAX_COUNT = 5_000;
  static final long MAX_LENGTH = 4 << 20;

  private final WorkTransaction transaction;
  private final List<StoredOutgoing> pending = new ArrayList<>();

  /** What was sent in the current segment and is of earlier ones, which stay if it is undone. */
  private final List<StoredOutgoing> sentEarly = new ArrayList<>();

  /** How many of those pending are of segments that are kept. */
  private int kept;

  private long length;

  OutgoingBuffer(WorkTransaction transaction) {
    this.transaction = transaction;
  }

  void add(StoredOutgoing message) {
    pending.add(message);
    length += message.message().size();
    if (pending.size() >= MAX_COUNT || length >= MAX_LENGTH) {
      List<StoredOutgoing> ofEarlier = List.copyOf(pending.subList(0, kept));
      send();
      sentEarly.addAll(ofEarlier);
    }
  }

  /** Sends what is pending. */
  void send() {
    if (!pending.isEmpty()) {
      transaction.publish(List.copyOf(pending));
      pending.clear();
      kept = 0;
      length = 0;
    }
  }

  /** Keeps what was published in the segment, which has succeeded. */
  void keep() {
    kept = pending.size();
    sentEarly.clear();
  }

  /** Drops what was published in the segment, which is rolled back. */
  void drop() {
    List<StoredOutgoing> left = new ArrayList<>(sentEarly);
    left.addAll(pending.subList(0, kept));
    pending.clear();
    pending.addAll(left);
    length = left.stream().mapToLong(it -> it.message().size()).sum();
    keep();
  }
}
