package io.inbox4j.handler;

import org.jspecify.annotations.Nullable;

/** The transaction in which the outcome of a message commits. */
public interface EventTransaction {

  /**
   * The transaction as a type of the store: with the JDBI store {@code org.jdbi.v3.core.Handle} or
   * {@code java.sql.Connection}.
   *
   * <p>The inbox begins and ends the transaction; committing, rolling back or closing it here is an
   * error.
   *
   * <p>What was handed over with {@link #write} so far is sent first, so that what the handler does
   * here sees it. That holds for this call: whoever keeps a connection, calls {@code write} and
   * then uses the connection again does not see what is not sent yet.
   *
   * @throws IllegalArgumentException if the store does not support this type; the message lists
   *     those it does
   */
  <T> T unwrap(Class<T> type);

  /**
   * Hands over a statement whose result the handler does not need. It is part of the transaction
   * like any other, but is sent together with those of other messages, after the handler has
   * returned: far fewer round trips to the database.
   *
   * <p>Statements are executed in the order in which they were handed over, across all messages of
   * the transaction. Consecutive ones with the same text are one batch, so it pays if the
   * statements of a subscription are few and their values are arguments.
   *
   * <p>If it fails, the failure is that of its message, as if the handler had thrown it.
   *
   * @param statement one statement of the store's language: with the JDBI store SQL, with {@code ?}
   *     for each argument
   * @param arguments each null, an enum (sent as its name), or a {@link String}, {@link Boolean},
   *     {@link Short}, {@link Integer}, {@link Long}, {@link Float}, {@link Double}, {@link
   *     java.math.BigInteger}, {@link java.math.BigDecimal}, {@link java.util.UUID}, {@link
   *     java.time.Instant}, {@link java.time.OffsetDateTime}, {@link java.time.LocalDateTime},
   *     {@link java.time.LocalDate}, {@link java.time.LocalTime} or {@code byte[]}
   * @throws IllegalArgumentException if an argument is something else
   * @throws IllegalStateException if the handler has returned, so that the statement would be lost
   */
  void write(String statement, @Nullable Object... arguments);
}
