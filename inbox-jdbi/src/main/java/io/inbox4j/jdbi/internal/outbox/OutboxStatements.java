package io.inbox4j.jdbi.internal.outbox;

import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.OutboxSql;
import io.inbox4j.operations.OutboxStatus;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The statements about scheduled messages, about who sends, and about how much there is. */
public final class OutboxStatements {

  private final Jdbi jdbi;

  public OutboxStatements(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  public boolean cancel(UUID messageId) {
    return jdbi.withHandle(
        handle -> handle.createUpdate(OutboxSql.CANCEL).bind("messageId", messageId).execute() > 0);
  }

  public boolean reschedule(UUID messageId, Instant sendAt) {
    return jdbi.withHandle(
        handle ->
            handle
                    .createUpdate(OutboxSql.RESCHEDULE)
                    .bind("messageId", messageId)
                    .bind("sendAt", OutboxInserts.text(sendAt))
                    .execute()
                > 0);
  }

  public boolean lead(UUID relay, Duration time) {
    return jdbi.withHandle(
        handle ->
            handle
                    .createUpdate(OutboxSql.LEAD)
                    .bind("relay", relay)
                    .bind("time", new Interval(time))
                    .execute()
                > 0);
  }

  public int resign(UUID relay) {
    return jdbi.withHandle(
        handle -> handle.createUpdate(OutboxSql.RESIGN).bind("relay", relay).execute());
  }

  /**
   * Takes a few milliseconds, however much there is; longer while an old transaction keeps deleted
   * rows from being removed.
   */
  public OutboxStatus status() {
    return jdbi.inTransaction(
        handle -> {
          handle.execute(OutboxSql.BY_INDEX);
          return handle
              .createQuery(OutboxSql.STATUS)
              .map(
                  (row, context) ->
                      new OutboxStatus(
                          row.getLong("waiting"),
                          seconds(row, "oldest"),
                          row.getLong("scheduled"),
                          row.getLong("dead")))
              .one();
        });
  }

  private static @Nullable Duration seconds(ResultSet row, String column) throws SQLException {
    BigDecimal seconds = row.getBigDecimal(column);
    return seconds == null ? null : Duration.ofMillis(seconds.movePointRight(3).longValue());
  }
}
