package io.inbox4j.jdbi.internal.work;

import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.guard.TransactionGuard;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.Write;
import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Executes what handlers have handed over: consecutive statements with the same text as a batch.
 */
final class WriteBatches {

  private static final int MAX_SHOWN = 1_000;
  private static final String MESSAGE = "a statement that was handed over failed: ";

  private final TransactionGuard guard;

  WriteBatches(TransactionGuard guard) {
    this.guard = guard;
  }

  void execute(List<Write> writes) {
    int from = 0;
    while (from < writes.size()) {
      String text = writes.get(from).statement();
      int to = from + 1;
      while (to < writes.size() && writes.get(to).statement().equals(text)) {
        to++;
      }
      execute(text, writes.subList(from, to));
      from = to;
    }
  }

  private void execute(String text, List<Write> batch) {
    long begin = System.nanoTime();
    try (PreparedStatement statement = guard.prepare(text)) {
      for (Write write : batch) {
        statement.clearParameters(); // otherwise a missing argument would be that of the last one
        bind(statement, write.arguments());
        statement.addBatch();
      }
      statement.executeBatch();
    } catch (SQLException e) {
      throw failed(text, causeOf(e));
    } catch (InboxException e) {
      throw e;
    } catch (RuntimeException e) { // the driver has no use for an argument, for example
      throw new InboxException(MESSAGE + shown(text), e);
    } finally {
      guard.waited(System.nanoTime() - begin);
    }
  }

  private static void bind(PreparedStatement statement, List<@Nullable Object> arguments)
      throws SQLException {
    int index = 0;
    for (Object argument : arguments) {
      index++;
      if (argument == null) {
        statement.setNull(index, Types.NULL);
      } else if (argument instanceof Instant time) {
        statement.setObject(index, time.atOffset(ZoneOffset.UTC));
      } else {
        statement.setObject(index, argument);
      }
    }
  }

  /** The error itself: that of the batch quotes the statement with all its arguments. */
  private static SQLException causeOf(SQLException failure) {
    SQLException cause =
        failure instanceof BatchUpdateException ? failure.getNextException() : failure;
    return cause == null ? failure : cause;
  }

  /** The exception that classifies and describes it like an error of the handler's own. */
  private static InboxException failed(String text, SQLException failure) {
    if (SqlErrors.of(failure) == FailureKind.ABORTED) {
      return new AbortedTransactionException(failure);
    }
    return new InboxException(MESSAGE + shown(text), failure);
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }
}
