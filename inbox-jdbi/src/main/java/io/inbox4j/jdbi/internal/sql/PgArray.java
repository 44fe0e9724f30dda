package io.inbox4j.jdbi.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** A column of a batch, bound as one array. */
@SuppressWarnings("ArrayRecordComponent") // lives for one statement
public record PgArray(String type, @Nullable Object[] elements) implements Argument {

  @Override
  public void apply(int position, PreparedStatement statement, StatementContext context)
      throws SQLException {
    set(position, statement);
  }

  /** Binds it without JDBI. */
  public void set(int position, PreparedStatement statement) throws SQLException {
    statement.setArray(position, statement.getConnection().createArrayOf(type, elements));
  }

  /** A text array. The NUL character, which PostgreSQL cannot store, is replaced by its symbol. */
  public static <T> PgArray texts(List<T> rows, Function<T, @Nullable String> column) {
    @Nullable String[] texts = new String[rows.size()];
    for (int i = 0; i < texts.length; i++) {
      String text = column.apply(rows.get(i));
      texts[i] = text == null || text.indexOf('\0') < 0 ? text : text.replace('\0', '\u2400');
    }
    return new PgArray("text", texts);
  }

  public static <T> PgArray uuids(List<T> rows, Function<T, @Nullable UUID> column) {
    return new PgArray("uuid", rows.stream().map(column).toArray());
  }

  public static <T> PgArray bytes(List<T> rows, Function<T, byte[]> column) {
    return new PgArray("bytea", rows.stream().map(column).toArray(byte[][]::new));
  }

  public static <T> PgArray booleans(List<T> rows, Function<T, Boolean> column) {
    return new PgArray("bool", rows.stream().map(column).toArray(Boolean[]::new));
  }

  public static <T> PgArray shorts(List<T> rows, Function<T, Integer> column) {
    return new PgArray("int2", rows.stream().map(column).toArray(Integer[]::new));
  }

  public static <T> PgArray integers(List<T> rows, Function<T, @Nullable Integer> column) {
    return new PgArray("int4", rows.stream().map(column).toArray(Integer[]::new));
  }

  public static <T> PgArray longs(List<T> rows, Function<T, @Nullable Long> column) {
    return new PgArray("int8", rows.stream().map(column).toArray(Long[]::new));
  }
}
