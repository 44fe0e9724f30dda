package io.inbox4j.jdbi.internal.sql;

import io.inbox4j.internal.log.ForeignText;
import java.sql.SQLException;
import java.util.Objects;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * A database error from a statement of the store, without the row data and arguments.
 *
 * <p>PostgreSQL quotes the failing row in the detail of an error, and JDBI the arguments: both are
 * payload, which must not get into logs. The message is a single line and truncated, because a
 * user's trigger may quote what a producer wrote.
 */
final class PlainSqlException extends SQLException {

  private static final int MAX_LENGTH = 1_000;

  private final String names;

  private PlainSqlException(String message, SQLException original) {
    super(shown(message), original.getSQLState(), original.getErrorCode());
    names = SqlErrorNames.in(original);
    setStackTrace(original.getStackTrace());
  }

  private static String shown(String message) {
    String line = ForeignText.oneLine(message);
    return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "…";
  }

  /** The names of the error and of the objects it is about. */
  String names() {
    return names;
  }

  static PlainSqlException of(SQLException original) {
    ServerErrorMessage said =
        original instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
    if (said == null) {
      PlainSqlException plain =
          new PlainSqlException(Objects.requireNonNullElse(original.getMessage(), ""), original);
      if (original.getCause() != null) {
        plain.initCause(original.getCause()); // a refused connection, a certificate
      }
      return plain;
    }
    return new PlainSqlException(
        "%s: %s".formatted(said.getSeverity(), said.getMessage()), original);
  }
}
