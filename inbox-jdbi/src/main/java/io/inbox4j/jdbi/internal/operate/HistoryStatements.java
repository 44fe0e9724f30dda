package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.jdbi.internal.sql.HistorySql;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.operations.FailedAttempt;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Reads failed attempts. */
public final class HistoryStatements {

  private HistoryStatements() {}

  public static List<FailedAttempt> attempts(Handle handle, String endpoint, UUID messageId) {
    return handle
        .createQuery(HistorySql.ATTEMPTS)
        .bind("endpoint", endpoint)
        .bind("id", messageId)
        .map((row, context) -> attempt(row))
        .list();
  }

  private static FailedAttempt attempt(ResultSet row) throws SQLException {
    return new FailedAttempt(
        row.getInt("number"),
        row.getInt("attempt"),
        Row.instant(row, "failed_on_utc"),
        millis(row),
        row.getString("process"),
        row.getString("error_class"),
        row.getString("error"),
        row.getString("fingerprint"));
  }

  private static @Nullable Duration millis(ResultSet row) throws SQLException {
    int millis = row.getInt("took_millis");
    return row.wasNull() ? null : Duration.ofMillis(millis);
  }
}
