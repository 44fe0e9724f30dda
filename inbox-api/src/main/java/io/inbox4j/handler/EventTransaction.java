package io.inbox4j.handler;

/** The transaction in which the outcome of a message commits. */
public interface EventTransaction {

  /**
   * The transaction as a type of the store: with the JDBI store {@code org.jdbi.v3.core.Handle} or
   * {@code java.sql.Connection}.
   *
   * <p>The inbox begins and ends the transaction; committing, rolling back or closing it here is an
   * error.
   *
   * @throws IllegalArgumentException if the store does not support this type; the message lists
   *     those it does
   */
  <T> T unwrap(Class<T> type);
}
