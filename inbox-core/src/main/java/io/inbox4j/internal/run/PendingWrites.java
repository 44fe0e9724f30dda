package io.inbox4j.internal.run;

import io.inbox4j.error.InboxException;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.store.Write;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What handlers have handed over and the database has not got yet: statements, and messages that
 * they publish.
 *
 * <p>Each is sent in its order: at the end of a segment, and when there is a lot of it; statements
 * also before a handler uses the transaction itself. It may stem from several messages, so when it
 * fails, the culprit is not known.
 */
final class PendingWrites {

  static final int MAX_COUNT = 1_000;
  static final long MAX_LENGTH = 1 << 20;

  private final WorkTransaction transaction;
  private final List<Write> pending = new ArrayList<>();
  private final List<StoredOutgoing> published = new ArrayList<>();
  private long length;
  private long publishedLength;
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

  void publish(StoredOutgoing message) {
    requireIntact();
    published.add(message);
    publishedLength += message.message().size();
    if (published.size() >= MAX_COUNT || publishedLength >= MAX_LENGTH) {
      sendPublished();
    }
  }

  /** Sends everything that is pending. Throws again if that has failed before. */
  void sendAll() {
    send();
    sendPublished();
  }

  private void sendPublished() {
    requireIntact();
    if (!published.isEmpty()) {
      guarded(() -> transaction.publish(List.copyOf(published)));
      published.clear();
      publishedLength = 0;
    }
  }

  /**
   * Sends the statements that are pending. Throws again if that has failed before and a handler
   * swallowed it.
   */
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
    published.clear();
    publishedLength = 0;
  }
}
