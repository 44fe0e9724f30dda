package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.OperatorSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.operations.Pause;
import io.inbox4j.store.StoreStatus;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Queries the state of the database and what is waiting in it, with a few index lookups. */
public final class StatusQuery {

  private final Jdbi jdbi;

  public StatusQuery(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  public StoreStatus take(Collection<String> endpoints, Duration timeout) {
    try (Handle handle = jdbi.open()) {
      Connection connection = handle.getConnection();
      int before = connection.getNetworkTimeout();
      // A statement timeout does not help against a server that vanished silently.
      connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
      try {
        return handle.inTransaction(it -> take(it, endpoints, timeout));
      } finally {
        if (!connection.isClosed()) {
          connection.setNetworkTimeout(Runnable::run, before);
        }
      }
    } catch (SQLException e) {
      throw SqlErrors.translated(e);
    }
  }

  private static StoreStatus take(Handle handle, Collection<String> endpoints, Duration timeout) {
    handle.execute(OperatorSql.lookFor(timeout.toMillis()));
    Map<String, StoreStatus.Waiting> waiting = new HashMap<>();
    handle
        .createQuery(OperatorSql.WAITING)
        .bind("endpoints", PgArray.texts(List.copyOf(endpoints), it -> it))
        .bind("long", new Interval(StoreStatus.LONG))
        .map((row, context) -> Map.entry(row.getString("endpoint"), waiting(row)))
        .forEach(entry -> waiting.put(entry.getKey(), entry.getValue()));
    return handle
        .createQuery(OperatorSql.OLDEST_TRANSACTION)
        .map(
            (row, context) ->
                new StoreStatus(row.getBoolean("read_only"), transactions(row), waiting))
        .one();
  }

  private static StoreStatus.Transactions transactions(ResultSet row) throws SQLException {
    return new StoreStatus.Transactions(
        seconds(row, "age"),
        row.getString("holder"),
        row.getBoolean("sees_all")
            ? null
            : "the role %s sees its own only, grant it pg_read_all_stats to see all"
                .formatted(row.getString("role")));
  }

  private static StoreStatus.Waiting waiting(ResultSet row) throws SQLException {
    return new StoreStatus.Waiting(
        seconds(row, "due"),
        row.getBoolean("leased"),
        stuck(row),
        row.getObject("blocking_id", UUID.class),
        blocked(row),
        pause(row));
  }

  private static StoreStatus.@Nullable Stuck stuck(ResultSet row) throws SQLException {
    UUID id = row.getObject("stuck_id", UUID.class);
    return id == null
        ? null
        : new StoreStatus.Stuck(id, row.getString("stuck_type"), row.getInt("crashes") + 1);
  }

  private static StoreStatus.@Nullable Blocked blocked(ResultSet row) throws SQLException {
    UUID id = row.getObject("blocked_by", UUID.class);
    return id == null
        ? null
        : new StoreStatus.Blocked(row.getLong("waiting"), id, Row.instant(row, "until"));
  }

  private static @Nullable Pause pause(ResultSet row) throws SQLException {
    String by = row.getString("paused_by");
    return by == null
        ? null
        : new Pause(by, row.getString("reason"), Row.instant(row, "paused_on_utc"));
  }

  private static @Nullable Duration seconds(ResultSet row, String column) throws SQLException {
    BigDecimal seconds = row.getBigDecimal(column);
    return seconds == null ? null : Duration.ofMillis(seconds.movePointRight(3).longValue());
  }
}
