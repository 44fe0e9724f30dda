package io.inbox4j.store;

import io.inbox4j.transport.OutgoingMessage;
import java.util.List;

/**
 * Reads what is to be sent, and removes what was.
 *
 * <p>It returns messages in the order in which they were published, each once, until it starts
 * over. A transaction may commit after later ones: its messages are returned as soon as they are
 * visible, and none is ever skipped. Messages with the same ordering key are in the order in which
 * their transactions committed.
 *
 * <p>It holds no transaction and no lock. Used by one thread, outside of any transaction of that. A
 * call that throws has not changed what is returned next, and can be repeated.
 */
public interface OutboxReader extends AutoCloseable {

  /** A message with its place in the order. */
  record Entry(long sequence, OutgoingMessage message) {}

  /** A message that cannot be sent, and why. */
  record Undeliverable(long sequence, Reason reason, String error) {}

  /** Why a message cannot be sent. */
  enum Reason {
    /** There was no queue for it. */
    UNROUTABLE,
    /** The broker does not accept it. */
    REJECTED
  }

  /**
   * Reads what comes next: up to so many messages, and of more than a few only up to so many bytes
   * of bodies.
   */
  List<Entry> next(int limit, long bytes);

  /**
   * Removes messages that were sent, and keeps as dead those that cannot be: of those that it has
   * returned since it started over.
   */
  void settle(List<Long> sent, List<Undeliverable> dead);

  /** Returns again everything that was not settled. */
  void startOver();

  /**
   * Lets messages be sent whose time has come.
   *
   * @return how many, which is limited
   */
  int releaseDue();

  @Override
  void close();
}
