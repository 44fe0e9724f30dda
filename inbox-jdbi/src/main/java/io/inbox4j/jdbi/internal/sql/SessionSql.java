package io.inbox4j.jdbi.internal.sql;

/**
 * The statements that begin and shape the store's transactions: settings, savepoints, and what is
 * restored after handlers.
 */
public final class SessionSql {

  private SessionSql() {}

  /**
   * A plan made while the table was nearly empty would remain a sequential scan after it has grown.
   */
  public static final String BY_INDEX = "SET LOCAL enable_seqscan = off";

  /**
   * The settings at the start of a worker's transaction: the server ends the transaction of a
   * frozen process, so that others can continue, and the store's own statements use index scans.
   */
  public static String settings(long idleTimeoutMillis) {
    return "SET LOCAL idle_in_transaction_session_timeout = " + idleTimeoutMillis + "; " + BY_INDEX;
  }

  /** Checks deferred constraints; rolling back to the savepoint defers them again as before. */
  public static final String CHECK =
      """
      SAVEPOINT inbox_check;
      SET CONSTRAINTS ALL IMMEDIATE;
      ROLLBACK TO SAVEPOINT inbox_check;
      RELEASE SAVEPOINT inbox_check
      """;

  /** Sets the savepoint for handlers. Until it ends their queries are planned as usual. */
  public static final String MARK = "SAVEPOINT inbox_segment; SET LOCAL enable_seqscan TO DEFAULT";

  public static final String KEEP = "RELEASE SAVEPOINT inbox_segment; " + BY_INDEX + "; ";

  public static final String RELEASE_MARK = "RELEASE SAVEPOINT inbox_segment; ";

  /**
   * Builds the statement that restores the role and the search path after handlers changed them.
   */
  public static final String READ_IDENTITY =
      """
      SELECT format('SELECT pg_catalog.set_config(''role'', %L, true),'
                    ' pg_catalog.set_config(''search_path'', %L, true); ',
                    current_setting('role'), current_setting('search_path'))
      """;

  public static final String UNDO = "ROLLBACK TO SAVEPOINT inbox_segment; " + KEEP;

  /** Clears what handlers can leave behind in a session, except settings and the role. */
  public static final String CLEAR_SESSION =
      """
      SELECT pg_advisory_unlock_all();
      UNLISTEN *;
      CLOSE ALL;
      DISCARD TEMP;
      DO $$
      DECLARE
        statement text;
      BEGIN
        FOR statement IN SELECT name FROM pg_prepared_statements WHERE from_sql LOOP
          EXECUTE format('DEALLOCATE %I', statement);
        END LOOP;
      END $$
      """;

  /** Begins the store's work in a transaction of the caller. */
  public static final String JOIN = "SAVEPOINT inbox_joined";

  public static final String LEAVE = "RELEASE SAVEPOINT inbox_joined";
  public static final String LEAVE_UNDONE =
      "ROLLBACK TO SAVEPOINT inbox_joined; RELEASE SAVEPOINT inbox_joined";

  /** Begins one of the store's own transactions within it. */
  public static final String BEGIN_JOINED = "SAVEPOINT inbox_transaction";

  public static final String COMMIT_JOINED = "RELEASE SAVEPOINT inbox_transaction";
  public static final String ROLLBACK_JOINED =
      "ROLLBACK TO SAVEPOINT inbox_transaction; RELEASE SAVEPOINT inbox_transaction";

  /** Everything that some statement sets with SET LOCAL, which outlives a savepoint. */
  private static final String SETTINGS =
      """
      unnest(ARRAY['enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_seqscan',
                   'idle_in_transaction_session_timeout', 'jit', 'lock_timeout', 'search_path',
                   'statement_timeout'])
      WITH ORDINALITY AS s (name, n)
      """;

  public static final String READ_SETTINGS =
      "SELECT array_agg(current_setting(name) ORDER BY n) FROM " + SETTINGS;

  public static final String RESTORE_SETTINGS =
      "SELECT set_config(name, (?::text[])[n], true) FROM " + SETTINGS;

  public static final String SYNCHRONOUS_COMMIT = "SELECT current_setting('synchronous_commit')";
}
