package io.inbox4j.cli.internal.tables;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.statement.StatementContext;

/** A list, bound as a PostgreSQL array. */
public record SqlArray(String type, List<?> values) implements Argument {

  public static SqlArray texts(List<String> values) {
    return new SqlArray("text", values);
  }

  static SqlArray longs(List<Long> values) {
    return new SqlArray("bigint", values);
  }

  @Override
  public void apply(int position, PreparedStatement statement, StatementContext context)
      throws SQLException {
    statement.setArray(position, statement.getConnection().createArrayOf(type, values.toArray()));
  }
}
