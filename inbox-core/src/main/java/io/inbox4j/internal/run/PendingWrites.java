package io.inbox4j.internal.run;

import io.inbox4j.error.InboxException;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.store.Write;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Statements that handlers have handed over and the database has not got yet.
 *
 * <p>They are sent in this order: at the end of a segment, before a handler uses the transaction
 * itself, and when there are a lot of them. They may stem from several messages, so when they fail,
 * the culprit is not known.
 */
final class PendingWrites {

  static final int MAX_COUNT = 1_000;
  static final long MAX_LENGTH = 1 << 20;

  private final WorkTransaction transaction;
  private final List<Write> pending = new ArrayList<>();
  private long length;
  private @Nullable Throwable failure;

  PendingWrites(WorkTransaction transaction) {
    this.transaction = transaction;
  }

  void add(Write write) {
    requireIntact();
    pending.add(write);
    length += write.length() + write.statement().length();
    if (pending.size() >= MAX_COUNT || length >= MAX_LENGTH) {
      send();
    }
  }

  /** Sends what is pending. Throws again if that has failed before and a handler swallowed it. */
  void send() {
    requireIntact();
    if (!pending.isEmpty()) {
      guarded(() -> transaction.write(pending));
      pending.clear();
      length = 0;
    }
  }

  private void guarded(Runnable send) {
    try {
      send.run();
    } catch (Throwable e) { // whatever it is, something that was handed over is not written
      failure = e;
      clear();
      throw e;
    }
  }

  private void requireIntact() {
    if (failure != null) {
      throw new InboxException("what handlers had handed over could not be written", failure);
    }
  }

  /** Whether sending has failed since the last rollback. */
  boolean haveFailed() {
    return failure != null;
  }

  /** Drops what is pending, because the transaction is rolled back to its savepoint. */
  void drop() {
    clear();
    failure = null;
  }

  private void clear() {
    pending.clear();
    length = 0;
  }
}
