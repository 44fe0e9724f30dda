package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.jdbi.internal.sql.SqlErrors;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock that lets one process at a time remove old messages. It is a row in the table {@code
 * inbox_retention_lease}, renewed with every step: a run consists of many transactions, and a
 * pooler may give each a different session.
 */
final class RetentionLease {

  private static final Logger log = LoggerFactory.getLogger(RetentionLease.class);

  private final UUID holder = UUID.randomUUID();

  /**
   * Another process has taken the lock: a step of this run took too long, or the clock was changed.
   */
  static final class LostException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Acquires the lock unless another process holds it; does not wait. */
  boolean take(Handle handle) {
    return handle.createQuery(RetentionSql.IS_FREE).mapTo(Boolean.class).one()
        && handle.createUpdate(RetentionSql.TAKE).bind("holder", holder).execute() == 1;
  }

  /**
   * Runs a step in a transaction that no step of another process can overlap.
   *
   * @throws LostException if another process holds the lock; nothing was done
   */
  <T extends @Nullable Object> T inTransaction(
      Handle handle, String settings, Function<Handle, T> step) {
    return handle.inTransaction(
        transaction -> {
          transaction.execute(settings);
          if (transaction.createUpdate(RetentionSql.RENEW).bind("holder", holder).execute() == 0) {
            throw new LostException();
          }
          return step.apply(transaction);
        });
  }

  /** Releases the lock; if that fails, it expires. */
  void release(Jdbi jdbi) {
    try {
      jdbi.useHandle(
          handle -> handle.createUpdate(RetentionSql.RELEASE).bind("holder", holder).execute());
    } catch (JdbiException e) {
      log.debug(
          "The retention job's lease ends by itself: {}", SqlErrors.translated(e).getMessage());
    }
  }
}
