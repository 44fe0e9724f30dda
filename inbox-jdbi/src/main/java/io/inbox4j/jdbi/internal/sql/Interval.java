package io.inbox4j.jdbi.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGInterval;

/** A duration, bound as an interval. */
public record Interval(@Nullable Duration duration) implements Argument {

  @Override
  public void apply(int position, PreparedStatement statement, StatementContext context)
      throws SQLException {
    if (duration == null) {
      statement.setNull(position, Types.OTHER);
    } else {
      statement.setObject(position, new PGInterval(duration.toString()));
    }
  }
}
