package io.inbox4j.cli.internal.doctor;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The reason why something could not be examined.
 *
 * @param detail what went wrong
 * @param remedy what to do about it
 */
record DatabaseObstacle(String detail, String remedy) {

  private static final int MAX_CAUSES = 100;

  static DatabaseObstacle of(Throwable failure) {
    SQLException sql = sqlIn(failure);
    if (sql == null) {
      return new DatabaseObstacle(text(failure), "see what the message says");
    }
    String state = sql.getSQLState() == null ? "" : sql.getSQLState();
    return new DatabaseObstacle(text(sql), remedy(state));
  }

  private static String remedy(String state) {
    return switch (state) {
      case "53300" ->
          "all connections that this role may have are in use: smaller pools, fewer processes, or a"
              + " higher max_connections; a superuser still gets in";
      case "28P01", "28000" ->
          "see that --database-user and its password are right, and what pg_hba.conf says of them";
      case "3D000" -> "see that the URL names the right database";
      case "57P03" -> "the server is starting, stopping or recovering: try again";
      case "57014" ->
          "it took too long: the server is busy, or statistics are old. See pg_stat_activity for"
              + " what runs, and try again";
      case "55P03" ->
          "somebody has locked a table, as a migration does: see pg_locks for who, and try again";
      case "42501" ->
          "give this role the rights that SECURITY.md lists for the service, and pg_read_all_stats";
      default ->
          state.startsWith("08")
              ? "see that the server runs, that it is reachable, and that the URL is right"
              : state.startsWith("53")
                  ? "the server has run out of something: see its log"
                  : "see the log of the server";
    };
  }

  private static String text(Throwable failure) {
    return failure.getMessage() == null
        ? failure.toString()
        : failure.getMessage().lines().findFirst().orElse("");
  }

  private static @Nullable SQLException sqlIn(Throwable failure) {
    int depth = 0;
    for (Throwable t = failure; t != null && depth < MAX_CAUSES; t = t.getCause(), depth++) {
      if (t instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }
}
