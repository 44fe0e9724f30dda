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
 * The right to remove old messages, which one janitor of all processes has at a time. It is a row,
 * renewed with every step: a run is made of many transactions, and a pooler may give each another
 * session.
 */
final class RetentionLock {

  private static final Logger log = LoggerFactory.getLogger(RetentionLock.class);

  private final UUID holder = UUID.randomUUID();

  /** Somebody else has taken it: this run took too long for a step, or the clock was set. */
  static final class LostException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Takes it, unless another one has it; does not wait for that. */
  boolean take(Handle handle) {
    return handle.createQuery(RetentionSql.IS_FREE).mapTo(Boolean.class).one()
        && handle.createUpdate(RetentionSql.TAKE).bind("holder", holder).execute() == 1;
  }

  /**
   * Runs a step in a transaction that nobody else's step can overlap.
   *
   * @throws LostException if somebody else has it, and nothing was done
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

  /** Gives it back; if that fails it ends by itself. */
  void release(Jdbi jdbi) {
    try {
      jdbi.useHandle(
          handle -> handle.createUpdate(RetentionSql.RELEASE).bind("holder", holder).execute());
    } catch (JdbiException e) {
      log.debug("The janitor's lease ends by itself: {}", SqlErrors.translated(e).getMessage());
    }
  }
}
