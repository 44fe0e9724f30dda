package io.inbox4j.jdbi.internal.sql;

/** The statements that find out which migrations a schema has, and prepare for the others. */
public final class MigrationSql {

  private MigrationSql() {}

  /** The schema on the search path that has the tables, or else the current one. */
  static final String SCHEMA_ON_PATH =
      """
      SELECT current_setting('search_path') AS path,
             coalesce((SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                       WHERE c.oid = to_regclass('inbox_migrations')
                         AND left(n.nspname, 8) <> 'pg_temp_'), current_schema()) AS schema
      """;

  static final String HAS_SCHEMA =
      "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = :schema)";

  static final String CREATE_SCHEMA = "CREATE SCHEMA {inbox}";

  /** The scripts create their objects in the current schema, as they do for Flyway. */
  static final String USE_SCHEMA = "SET LOCAL search_path TO {inbox}";

  /** Scoped to the schema, which may not have any table yet. */
  public static final String LOCK_FOR_MIGRATION =
      "SELECT pg_try_advisory_xact_lock(hashtextextended('inbox migration {inbox}', 0))";

  static final String MIGRATION_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'";

  /**
   * Reads a table, which has the session notice what others have created meanwhile; to_regclass
   * alone may answer from before.
   */
  public static final String HAS_MIGRATIONS =
      "SELECT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('{inbox}.inbox_migrations'))";

  static final String MIGRATION_VERSIONS = "SELECT version FROM {inbox}.inbox_migrations";
}
