package io.inbox4j.cli.internal.doctor;

/** The statements of the doctor. None changes a row. */
final class DoctorSql {

  private DoctorSql() {}

  /** The indexes that the statements of the inbox need, and their state. */
  static final String INDEXES =
      """
      SELECT coalesce(c.oid::regclass::text, e.name) AS name, i.indexrelid IS NOT NULL AS there,
             coalesce(i.indisvalid, false) AS valid
      FROM unnest(:names) AS e (name)
      LEFT JOIN pg_class c ON c.oid = to_regclass('{inbox}.' || quote_ident(e.name))
      LEFT JOIN pg_index i ON i.indexrelid = c.oid
      ORDER BY e.name
      """;

  /** How a worker claims from a lane: the same conditions and order. */
  static final String PLAN_CLAIM =
      """
      EXPLAIN SELECT p.seq FROM {inbox}.inbox_pending p
      WHERE endpoint = 'any' AND lane = 1::smallint AND seq > 0 AND type = ANY ('{any}')
      ORDER BY seq LIMIT 100 FOR UPDATE SKIP LOCKED
      """;

  /** How a worker finds what was parked and is due. */
  static final String PLAN_PARKED =
      """
      EXPLAIN SELECT p.seq FROM {inbox}.inbox_pending p
      WHERE endpoint = 'any' AND lane < 0 AND due_on_utc <= now()
      ORDER BY due_on_utc, seq LIMIT 100
      """;

  /** How a worker finds the parked messages of a key. */
  static final String PLAN_KEY =
      """
      EXPLAIN SELECT p.seq FROM {inbox}.inbox_pending p
      WHERE endpoint = 'any' AND lane < 0 AND ordering_key = 'any' ORDER BY seq LIMIT 1
      """;

  /** How a worker reads what it has claimed. */
  static final String PLAN_READ = "EXPLAIN SELECT body FROM {inbox}.inbox_messages WHERE seq = 1";

  /** How a receiver checks whether a message was stored before. */
  static final String PLAN_IDENTITY =
      "EXPLAIN SELECT FROM {inbox}.inbox_messages WHERE endpoint = 'any' AND message_id ="
          + " '00000000-0000-4000-8000-000000000000'";

  /** How the retention job scans what is processed. */
  static final String PLAN_PROCESSED =
      "EXPLAIN SELECT seq FROM {inbox}.inbox_processed_default WHERE seq > 1 ORDER BY seq LIMIT 100";

  static final String NO_SEQUENTIAL_SCAN = "SET LOCAL enable_seqscan = off";

  /** Tables with many dead rows that vacuum has not removed. */
  static final String VACUUM =
      """
      SELECT s.relid::regclass::text AS table_name, s.n_dead_tup AS dead, s.n_live_tup AS live,
             extract(epoch FROM now() - greatest(s.last_autovacuum, s.last_vacuum)) :: bigint AS since,
             coalesce('autovacuum_enabled=false' = ANY (c.reloptions), false) AS off
      FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
      WHERE s.relid IN (SELECT inhrelid FROM pg_inherits
                        WHERE inhparent IN (to_regclass('{inbox}.inbox_processed'), to_regclass('{inbox}.inbox_archive')))
         OR s.relid IN (to_regclass('{inbox}.inbox_pending'), to_regclass('{inbox}.inbox_messages'),
                        to_regclass('{inbox}.inbox_dead'), to_regclass('{inbox}.inbox_quarantine'))
      ORDER BY s.relname
      """;

  static final String SETTINGS =
      """
      SELECT current_setting('server_version_num')::int AS version,
             current_setting('server_version') AS version_text,
             current_setting('synchronous_commit') AS synchronous_commit,
             current_setting('fsync') AS fsync,
             current_setting('full_page_writes') AS full_page_writes,
             current_setting('autovacuum') AS autovacuum,
             current_setting('max_connections')::int AS max_connections,
             (SELECT sum(numbackends) FROM pg_stat_database)::int AS connections,
             current_setting('transaction_read_only') AS read_only,
             pg_is_in_recovery() AS standby
      """;

  static final String SESSION = "SELECT pg_backend_pid()";

  static final String CLOCK = "SELECT clock_timestamp()";
}
