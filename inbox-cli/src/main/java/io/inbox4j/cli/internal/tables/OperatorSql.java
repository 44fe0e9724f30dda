package io.inbox4j.cli.internal.tables;

/** Every statement of the command line, readable enough to paste into psql. None changes a row. */
public final class OperatorSql {

  private OperatorSql() {}

  /** A query that has to wait, or takes long, ends soon and reports it. */
  static final String DO_NOT_WAIT =
      "SET LOCAL statement_timeout = '5s'; SET LOCAL lock_timeout = '1s'";

  static final String HAS_TABLES = "SELECT to_regclass('inbox_migrations') IS NOT NULL";

  static final String VERSION = "SELECT coalesce(max(version), 0) FROM inbox_migrations";

  /** Restricts a query to index scans, whatever the tables contain and the statistics say. */
  static final String BY_INDEX =
      "SET LOCAL statement_timeout = '5s'; SET LOCAL enable_seqscan = off; SET LOCAL"
          + " enable_bitmapscan = off";

  /**
   * The endpoints that have anything pending, dead, quarantined or paused, or at which one of the
   * last thousand messages arrived. It skips from one to the next through the indexes.
   */
  static final String ENDPOINTS =
      """
      WITH RECURSIVE unordered (endpoint) AS (
        (SELECT endpoint FROM inbox_pending WHERE lane IS NULL ORDER BY endpoint LIMIT 1)
        UNION ALL
        SELECT (SELECT p.endpoint FROM inbox_pending p
                WHERE p.lane IS NULL AND p.endpoint > u.endpoint ORDER BY p.endpoint LIMIT 1)
        FROM unordered u WHERE u.endpoint IS NOT NULL
      ), ordered (endpoint) AS (
        (SELECT endpoint FROM inbox_pending WHERE lane IS NOT NULL ORDER BY endpoint LIMIT 1)
        UNION ALL
        SELECT (SELECT p.endpoint FROM inbox_pending p
                WHERE p.lane IS NOT NULL AND p.endpoint > o.endpoint ORDER BY p.endpoint LIMIT 1)
        FROM ordered o WHERE o.endpoint IS NOT NULL
      ), aside (endpoint) AS (
        (SELECT endpoint FROM inbox_quarantine ORDER BY endpoint LIMIT 1)
        UNION ALL
        SELECT (SELECT q.endpoint FROM inbox_quarantine q
                WHERE q.endpoint > a.endpoint ORDER BY q.endpoint LIMIT 1)
        FROM aside a WHERE a.endpoint IS NOT NULL
      )
      SELECT endpoint FROM (
        SELECT endpoint FROM unordered
        UNION SELECT endpoint FROM ordered
        UNION SELECT endpoint FROM aside
        UNION SELECT endpoint FROM inbox_paused
        UNION SELECT endpoint FROM (SELECT endpoint FROM inbox_dead ORDER BY seq LIMIT :exact) dead
        UNION SELECT endpoint FROM (SELECT endpoint FROM inbox_messages
                                    ORDER BY seq DESC LIMIT :recent) recent
      ) every WHERE endpoint IS NOT NULL ORDER BY endpoint
      """;

  /** How many are retrying, dead and quarantined; each is counted up to a limit. */
  static final String COUNTS =
      """
      WITH dead AS MATERIALIZED (
        SELECT endpoint, count(*) AS n
        FROM (SELECT endpoint FROM inbox_dead ORDER BY seq LIMIT :exact) d GROUP BY endpoint
      )
      SELECT e.endpoint, coalesce(dead.n, 0) AS dead,
             (SELECT count(*) FROM (SELECT attempts FROM inbox_pending p
                                    WHERE p.endpoint = e.endpoint AND p.lane IS NULL
                                    ORDER BY p.due_on_utc DESC LIMIT :exact) u WHERE attempts > 0)
             + (SELECT count(*) FROM (SELECT attempts FROM inbox_pending p
                                      WHERE p.endpoint = e.endpoint AND p.lane IS NOT NULL
                                      LIMIT :exact) o WHERE attempts > 0) AS retrying,
             (SELECT count(*) FROM (SELECT 1 FROM inbox_quarantine q
                                    WHERE q.endpoint = e.endpoint LIMIT :exact) q) AS quarantined
      FROM unnest(:endpoints) AS e (endpoint) LEFT JOIN dead USING (endpoint)
      """;

  /** Of the last messages that arrived: how many per second, over at most the last minute. */
  static final String RECEIVED =
      """
      WITH recent AS MATERIALIZED (
        SELECT endpoint, received_on_utc AS at FROM inbox_messages ORDER BY seq DESC LIMIT :recent
      ), span AS (
        SELECT CASE WHEN count(*) < :recent THEN 60
                    ELSE least(60, greatest(0.001, extract(epoch FROM now() - min(at)))) END AS seconds
        FROM recent
      )
      SELECT endpoint, count(*) FILTER (WHERE at > now() - interval '60 s') / max(seconds) AS rate
      FROM recent, span GROUP BY endpoint
      """;

  /**
   * Of the last messages that were processed: how many per second, and the 95th percentile of their
   * lag.
   */
  static final String PROCESSED =
      """
      WITH recent AS MATERIALIZED (
        SELECT seq, processed_on_utc AS at FROM inbox_processed ORDER BY seq DESC LIMIT :recent
      ), span AS (
        SELECT CASE WHEN count(*) < :recent THEN 60
                    ELSE least(60, greatest(0.001, extract(epoch FROM now() - min(at)))) END AS seconds
        FROM recent
      )
      SELECT m.endpoint, count(*) FILTER (WHERE at > now() - interval '60 s') / max(seconds) AS rate,
             (1000 * extract(epoch FROM percentile_disc(0.95) WITHIN GROUP
               (ORDER BY greatest(r.at - m.received_on_utc, interval '0')))) :: bigint AS lag_millis
      FROM recent r JOIN inbox_messages m USING (seq), span GROUP BY m.endpoint
      """;

  public static final String LIST_PENDING =
      """
      SELECT CASE WHEN p.attempts > 0 THEN 'retrying' ELSE 'pending' END AS status,
             m.message_id, m.endpoint, m.type, p.attempts, m.received_on_utc AS since,
             p.last_error AS error, p.due_on_utc AS due
      FROM inbox_pending p JOIN inbox_messages m USING (seq)
      WHERE (NOT :retrying OR p.attempts > 0)
        AND (CAST(:endpoint AS text) IS NULL OR p.endpoint = :endpoint)
        AND (cardinality(:types) = 0 OR p.type = ANY (:types))
        AND (CAST(:text AS text) IS NULL OR strpos(p.last_error, :text) > 0)
        AND (CAST(:olderThan AS bigint) IS NULL
             OR m.received_on_utc <= now() - :olderThan * interval '1 ms')
      ORDER BY p.seq LIMIT :limit
      """;

  public static final String LIST_PROCESSED =
      """
      SELECT 'processed' AS status, m.message_id, m.endpoint, m.type, p.attempts,
             p.processed_on_utc AS since, NULL AS error, NULL::timestamptz AS due
      FROM inbox_processed p JOIN inbox_messages m USING (seq)
      WHERE (CAST(:endpoint AS text) IS NULL OR m.endpoint = :endpoint)
        AND (cardinality(:types) = 0 OR m.type = ANY (:types))
        AND (CAST(:olderThan AS bigint) IS NULL
             OR p.processed_on_utc <= now() - :olderThan * interval '1 ms')
      ORDER BY p.seq DESC LIMIT :limit
      """;

  private static final String STATE =
      """
      CASE WHEN d.seq IS NOT NULL THEN 'dead'
           WHEN w.attempts > 0    THEN 'retrying'
           WHEN w.seq IS NOT NULL THEN 'pending'
           WHEN p.seq IS NULL AND EXISTS (SELECT 1 FROM inbox_interventions i
                                          WHERE i.origin IN ('pending', 'dead') AND i.seq = m.seq
                                            AND i.action = 'discard') THEN 'discarded'
           ELSE 'processed' END AS status
      """;

  private static final String STATES =
      """
      FROM inbox_messages m
      LEFT JOIN inbox_pending   w USING (seq)
      LEFT JOIN inbox_dead      d USING (seq)
      LEFT JOIN inbox_processed p USING (seq)
      """;

  /** A message by its id, at every endpoint at which it arrived. */
  static final String FIND =
      """
      SELECT m.seq, m.message_id, m.endpoint, m.type, %s, m.received_on_utc, p.processed_on_utc,
             d.dead_on_utc, coalesce(p.attempts, d.attempts, w.attempts) AS attempts,
             CASE WHEN p.seq IS NULL AND d.seq IS NULL THEN w.due_on_utc END AS due_on_utc,
             w.crashes, w.lease IS NOT NULL AS leased, coalesce(d.error, w.last_error) AS error,
             m.correlation_id, m.source, m.ordering_key, m.content_type, m.redelivered, m.headers,
             m.emptied, octet_length(m.body) AS size, m.body
      %s
      WHERE m.message_id = :id AND (CAST(:endpoint AS text) IS NULL OR m.endpoint = :endpoint)
      ORDER BY m.endpoint
      """
          .formatted(STATE, STATES);

  /** The messages to follow: the newest, the oldest pending, and those followed before. */
  static final String FOLLOW =
      """
      SELECT m.seq, m.message_id, m.endpoint, m.type, %s,
             coalesce(p.attempts, d.attempts, w.attempts, 0) AS attempts,
             coalesce(d.error, w.last_error) AS error
      %s
      WHERE m.seq IN (
        SELECT seq FROM (SELECT seq FROM inbox_messages ORDER BY seq DESC LIMIT :recent) newest
        UNION SELECT seq FROM (SELECT seq FROM inbox_pending ORDER BY seq LIMIT :recent) oldest
        UNION SELECT unnest(:before))
      ORDER BY m.seq
      """
          .formatted(STATE, STATES);

  static final String LAST_QUARANTINED = "SELECT coalesce(max(seq), 0) FROM inbox_quarantine";

  /** The planner's estimate of what is to be removed, which is enough for a progress bar. */
  public static final String ESTIMATE_OLD =
      "EXPLAIN SELECT FROM inbox_processed WHERE processed_on_utc < now() - :millis * interval '1"
          + " ms'";

  /** The indexes that the statements of the inbox need, and their state. */
  public static final String INDEXES =
      """
      SELECT e.name, i.indexrelid IS NOT NULL AS there, coalesce(i.indisvalid, false) AS valid
      FROM unnest(:names) AS e (name)
      LEFT JOIN pg_class c ON c.oid = to_regclass(quote_ident(e.name))
      LEFT JOIN pg_index i ON i.indexrelid = c.oid
      ORDER BY e.name
      """;

  /** How a worker claims: the same conditions and order. */
  public static final String PLAN_CLAIM =
      """
      EXPLAIN SELECT p.seq FROM inbox_pending p
      WHERE endpoint = 'any' AND lane IS NULL AND type = ANY ('{any}')
        AND due_on_utc <= now() AND due_on_utc >= '-infinity'
      ORDER BY due_on_utc, seq LIMIT 100 FOR UPDATE SKIP LOCKED
      """;

  /** How a worker scans what is due in a lane. */
  public static final String PLAN_LANE =
      """
      EXPLAIN SELECT p.seq FROM inbox_pending p
      WHERE endpoint = 'any' AND lane = 1::smallint AND due_on_utc <= now()
      ORDER BY due_on_utc, seq LIMIT 100
      """;

  /** How a worker finds the first messages of a key. */
  public static final String PLAN_KEY =
      """
      EXPLAIN SELECT p.seq FROM inbox_pending p
      WHERE endpoint = 'any' AND lane = 1::smallint AND ordering_key = 'any' ORDER BY seq LIMIT 100
      """;

  /** How a worker reads what it has claimed. */
  public static final String PLAN_READ = "EXPLAIN SELECT body FROM inbox_messages WHERE seq = 1";

  /** How a receiver checks whether a message was stored before. */
  public static final String PLAN_IDENTITY =
      "EXPLAIN SELECT FROM inbox_messages WHERE endpoint = 'any' AND message_id ="
          + " '00000000-0000-4000-8000-000000000000'";

  /** How the retention job scans what is processed. */
  public static final String PLAN_PROCESSED =
      "EXPLAIN SELECT seq FROM inbox_processed_default WHERE seq > 1 ORDER BY seq LIMIT 100";

  public static final String NO_SEQUENTIAL_SCAN = "SET LOCAL enable_seqscan = off";

  /** Tables with many dead rows that vacuum has not removed. */
  public static final String VACUUM =
      """
      SELECT s.relname, s.n_dead_tup AS dead, s.n_live_tup AS live,
             extract(epoch FROM now() - greatest(s.last_autovacuum, s.last_vacuum)) :: bigint AS since,
             coalesce('autovacuum_enabled=false' = ANY (c.reloptions), false) AS off
      FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
      WHERE s.relid IN (SELECT inhrelid FROM pg_inherits
                        WHERE inhparent IN (to_regclass('inbox_processed'), to_regclass('inbox_archive')))
         OR s.relid IN (to_regclass('inbox_pending'), to_regclass('inbox_messages'),
                        to_regclass('inbox_dead'), to_regclass('inbox_quarantine'))
      ORDER BY s.relname
      """;

  public static final String SETTINGS =
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

  public static final String SESSION = "SELECT pg_backend_pid()";

  public static final String CLOCK = "SELECT clock_timestamp()";
}
