package io.inbox4j.memory;

import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.StoreStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message that is still to be handled. Every change makes a new row that is not interrupted.
 *
 * @param lease the token of its lease, or null
 * @param error the last failure, or null
 * @param interrupted whether the last transaction that had claimed it was rolled back
 */
record PendingRow(
    StoredMessage message,
    Instant dueAt,
    int attempts,
    int crashes,
    @Nullable Long lease,
    @Nullable String error,
    boolean interrupted) {

  /** A message that nobody has tried to handle. */
  static PendingRow fresh(StoredMessage message, Instant dueAt) {
    return new PendingRow(message, dueAt, 0, 0, null, null, false);
  }

  long sequence() {
    return message.sequence();
  }

  String endpoint() {
    return message.endpoint();
  }

  @Nullable String key() {
    return message.orderingKey();
  }

  boolean isDue(Instant now) {
    return !dueAt.isAfter(now);
  }

  boolean isOrphaned() {
    return crashes > 0 || lease != null || interrupted;
  }

  /** Whether somebody handles it outside a transaction. */
  boolean isLeased(Instant now) {
    return lease != null && !isDue(now);
  }

  /** Whether it keeps the messages behind it waiting for longer than it should. */
  boolean isLongOff(Instant now) {
    return lease == null && dueAt.isAfter(now.plus(StoreStatus.LONG));
  }

  boolean hasLease(long token) {
    return Objects.equals(lease, token);
  }

  /** How many attempts have failed once the current one has. */
  int attemptsAfterThis() {
    return attempts + Math.max(crashes - 1, 1);
  }

  PendingRow interrupt() {
    return new PendingRow(message, dueAt, attempts, crashes, lease, error, true);
  }

  PendingRow uninterrupted() {
    return new PendingRow(message, dueAt, attempts, crashes, lease, error, false);
  }

  PendingRow due(Instant at) {
    return new PendingRow(message, at, attempts, crashes, lease, error, false);
  }

  PendingRow atRisk(Instant hiddenUntil) {
    return new PendingRow(message, hiddenUntil, attempts, crashes + 1, null, error, false);
  }

  /** Without a crash-risk mark; if it is leased, its due time is the lease's. */
  PendingRow cleared(Instant now) {
    Instant due = lease == null ? now : dueAt;
    return new PendingRow(message, due, attempts, crashes - 1, lease, error, false);
  }

  /** Without a crash-risk mark, but orphaned as before: an expired lease says so. */
  PendingRow restored(Instant now) {
    return new PendingRow(message, now, attempts, crashes - 1, 0L, error, false);
  }

  PendingRow leased(long token, boolean orphaned, Instant until) {
    int risk = orphaned ? crashes + 1 : crashes;
    return new PendingRow(message, until, attempts, risk, token, error, false);
  }

  PendingRow released(Instant now) {
    return new PendingRow(message, now, attempts, Math.max(crashes - 1, 0), null, error, false);
  }

  PendingRow retried(Instant at, String failure, boolean alone) {
    return new PendingRow(message, at, attemptsAfterThis(), alone ? 1 : 0, null, failure, false);
  }

  PendingRow postponed(Instant at) {
    return new PendingRow(message, at, attempts, 0, null, error, false);
  }

  ClaimedMessage claimed(Instant now) {
    Duration lag = Duration.between(message.receivedAt(), now);
    return new ClaimedMessage(
        message.sequence(),
        message.messageId(),
        message.type(),
        message.delivery().contentType(),
        message.delivery().body(),
        message.headers(),
        message.delivery().correlationId(),
        message.delivery().source(),
        message.delivery().redelivered(),
        message.receivedAt(),
        dueAt,
        lag.isNegative() ? Duration.ZERO : lag,
        System.nanoTime(),
        message.orderingKey(),
        attempts,
        crashes,
        isOrphaned());
  }
}
