package io.inbox4j.jdbi;

import java.sql.SQLException;
import java.util.Objects;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What the database says to a statement of the store, without the rows and arguments in it.
 *
 * <p>PostgreSQL quotes the failing row in the detail of a message, and JDBI the arguments: payload,
 * which must not get into logs.
 */
final class PlainSqlException extends SQLException {

  private final String names;

  private PlainSqlException(String message, SQLException original) {
    super(message, original.getSQLState(), original.getErrorCode());
    names = SqlErrorNames.in(original);
    setStackTrace(original.getStackTrace());
  }

  /** What it is about, by name. */
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
