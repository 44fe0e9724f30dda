package io.inbox4j.jdbi.internal.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The loggable part of a PostgreSQL error: it quotes no row and no argument. */
public final class SqlErrorNames {

  private static final Pattern STATE = Pattern.compile("[0-9A-Z]{5}");

  /** PostgreSQL's names for the conditions that a handler is likely to meet. */
  private static final Map<String, String> CONDITIONS =
      Map.ofEntries(
          Map.entry("22001", "string_data_right_truncation"),
          Map.entry("22003", "numeric_value_out_of_range"),
          Map.entry("22007", "invalid_datetime_format"),
          Map.entry("22012", "division_by_zero"),
          Map.entry("22P02", "invalid_text_representation"),
          Map.entry("23502", "not_null_violation"),
          Map.entry("23503", "foreign_key_violation"),
          Map.entry("23505", "unique_violation"),
          Map.entry("23514", "check_violation"),
          Map.entry("23P01", "exclusion_violation"),
          Map.entry("25006", "read_only_sql_transaction"),
          Map.entry("25P02", "in_failed_sql_transaction"),
          Map.entry("40001", "serialization_failure"),
          Map.entry("40P01", "deadlock_detected"),
          Map.entry("42501", "insufficient_privilege"),
          Map.entry("42601", "syntax_error"),
          Map.entry("42703", "undefined_column"),
          Map.entry("42804", "datatype_mismatch"),
          Map.entry("42883", "undefined_function"),
          Map.entry("42P01", "undefined_table"),
          Map.entry("55P03", "lock_not_available"),
          Map.entry("57014", "query_canceled"),
          Map.entry("P0001", "raise_exception"));

  private SqlErrorNames() {}

  /** The names of the error and of the objects it is about. */
  public static String in(SQLException failure) {
    if (failure instanceof PlainSqlException plain) {
      return plain.names();
    }
    List<String> names = new ArrayList<>();
    String state = failure.getSQLState();
    if (state != null && STATE.matcher(state).matches()) {
      names.add("SQLSTATE " + state);
      add(names, "%s", CONDITIONS.get(state));
    }
    if (failure instanceof PSQLException postgres && postgres.getServerErrorMessage() != null) {
      add(names, postgres.getServerErrorMessage());
    }
    return String.join(", ", names);
  }

  private static void add(List<String> names, ServerErrorMessage said) {
    add(names, "constraint %s", said.getConstraint());
    add(names, "column %s", said.getColumn());
    add(names, "table %s", said.getTable());
    if (said.getPosition() > 0) {
      names.add("at character %d of the statement".formatted(said.getPosition()));
    }
  }

  private static void add(List<String> names, String format, @Nullable String name) {
    if (name != null) {
      names.add(format.formatted(name));
    }
  }
}
