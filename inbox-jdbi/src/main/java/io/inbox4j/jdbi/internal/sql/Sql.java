package io.inbox4j.jdbi.internal.sql;

/**
 * The statements that store and handle messages, readable enough to paste into psql once <code>
 * {inbox}</code> is replaced by the schema.
 */
public final class Sql {

  private Sql() {}

  /**
   * Stores events idempotently, in this order; notifies listening processes, once, if requested.
   */
  public static final String STORE = store("", "", "", "", "");

  /**
   * Stores events at the given positions. A position that was given out again, by a sequence that
   * was set back, is not used.
   */
  public static final String STORE_AT =
      store(
          ", :places, :arrivedOn::timestamptz[]",
          "place, arrived_on_utc, ",
          "seq, received_on_utc, ",
          "OVERRIDING SYSTEM VALUE",
          """
          CASE WHEN place IS NULL OR EXISTS (SELECT 1 FROM {inbox}.inbox_messages m WHERE m.seq = place)
               THEN {inbox}.inbox_next_place() ELSE place END,
          coalesce(arrived_on_utc, now()),""");

  private static String store(
      String arrays, String arrived, String columns, String overriding, String values) {
    return """
        WITH arrived AS (
          SELECT * FROM unnest(:ids, :types, :contentTypes, :bodies, :headers,
                               :correlationIds, :sources, :redelivered, :orderingKeys, :notBefore::timestamptz[]%s)
          WITH ORDINALITY AS a (message_id, type, content_type, body, headers,
                                correlation_id, source, redelivered, ordering_key, not_before, %sn)
        ), stored AS (
          INSERT INTO {inbox}.inbox_messages (%sendpoint, message_id, type, content_type, body, headers,
                                      correlation_id, source, redelivered, ordering_key, not_before)
          %s
          SELECT %s :endpoint, message_id, type, content_type, body, headers,
                 correlation_id, source, redelivered, ordering_key, not_before
          FROM arrived ORDER BY n
          ON CONFLICT (message_id, endpoint) DO NOTHING
          RETURNING seq, message_id, type, ordering_key, not_before
        ), queued AS (
          INSERT INTO {inbox}.inbox_pending (seq, endpoint, type, ordering_key, lane, due_on_utc)
          SELECT seq, :endpoint, type, ordering_key, {inbox}.inbox_lane(ordering_key),
                 greatest(now(), not_before)
          FROM stored
        )
        SELECT message_id, seq,
               (SELECT pg_notify('{channel}', :notification)::text
                WHERE :notification <> '' AND pg_notification_queue_usage() < 0.9)
        FROM stored
        """
        .formatted(arrays, arrived, columns, overriding, values);
  }

  public static final String NEXT_PLACES =
      "SELECT {inbox}.inbox_next_place() AS place FROM generate_series(1, :count) ORDER BY place";

  /** Which of the events that existed already are stored with another body or type. */
  public static final String CONFLICTS =
      """
      SELECT a.n FROM unnest(:ids, :types, :bodies) WITH ORDINALITY AS a (message_id, type, body, n)
      JOIN {inbox}.inbox_messages m ON m.message_id = a.message_id AND m.endpoint = :endpoint
      WHERE NOT m.emptied AND (m.body <> a.body OR m.type <> a.type)
      """;

  /** Quarantines deliveries, each once. */
  public static final String QUARANTINE =
      """
      INSERT INTO {inbox}.inbox_quarantine (endpoint, reason, detail, fingerprint, message_id, type,
                                    content_type, content_encoding, correlation_id, source,
                                    headers, body, redelivered, place)
      SELECT :endpoint, reason, detail, fingerprint, message_id, type,
             content_type, content_encoding, correlation_id, source, headers, body, redelivered,
             coalesce(place, {inbox}.inbox_next_place())
      FROM unnest(:reasons, :details, :fingerprints, :messageIds, :types, :contentTypes,
                  :contentEncodings, :correlationIds, :sources, :headers, :bodies, :redelivered,
                  :places)
      WITH ORDINALITY AS a (reason, detail, fingerprint, message_id, type, content_type,
                            content_encoding, correlation_id, source, headers, body, redelivered,
                            place, n)
      ORDER BY n
      ON CONFLICT (endpoint, fingerprint) DO NOTHING
      """;

  /** Condition on a pending row: whether it was in flight when a worker crashed or gave up. */
  private static String isOrphan(String row, String locker) {
    return "(%1$s.crashes > 0 OR %1$s.lease IS NOT NULL OR (%2$s <> '0'::xid AND {inbox}.inbox_rolled_back(%2$s)))"
        .formatted(row, locker);
  }

  /**
   * Condition on a pending row l: whether it has an ordering key and is being handled under a
   * lease. The lane must not be compared with "=" next to it: that would make the indexes of all
   * lanes look equally good if the tables were empty when the plan was made.
   */
  private static final String IS_LEASED =
      "l.lease IS NOT NULL AND l.ordering_key IS NOT NULL AND l.due_on_utc > now()";

  /** What a claim selects for update; skipped rows are not examined any further. */
  private static final String PENDING_COLUMNS =
      "SELECT p.seq, p.due_on_utc, p.attempts, p.crashes, p.lease, p.xmax AS locker";

  private static final String CLAIMED_COLUMNS =
      """
      SELECT c.seq, c.due_on_utc, c.attempts, c.crashes, %s AS orphaned,
             m.message_id, m.type, m.body, m.headers, m.correlation_id, m.source, m.redelivered,
             m.received_on_utc, now() AS claimed_on_utc, m.ordering_key, m.content_type
      FROM claimed c JOIN {inbox}.inbox_messages m USING (seq)
      """
          .formatted(isOrphan("c", "c.locker"));

  /** Whether the endpoint is not paused; evaluated once per statement. */
  private static final String NOT_PAUSED =
      "(SELECT count(*) = 0 FROM {inbox}.inbox_paused WHERE endpoint = ?)";

  /**
   * Claims due messages: endpoint, types, the due time to start from, and the endpoint again.
   *
   * <p>The limit is a literal, so that the plan is made for it.
   *
   * <p>A row that carries the lock of a transaction that was rolled back, or a lease that has
   * expired, was in flight when a worker crashed or gave up: it is orphaned.
   *
   * <p>Handlers run next, so the statement also sets their savepoint.
   */
  public static String claim(int limit, long idleTimeoutMillis) {
    return """
        %s;
        WITH claimed AS MATERIALIZED (
          %s
          FROM {inbox}.inbox_pending p
          WHERE endpoint = ? AND lane IS NULL AND type = ANY (?)
            AND due_on_utc <= now() AND due_on_utc >= ? AND %s
          ORDER BY due_on_utc, seq
          LIMIT %d
          FOR UPDATE SKIP LOCKED
        )
        %s ORDER BY c.due_on_utc, c.seq;
        %s
        """
        .formatted(
            settings(idleTimeoutMillis), PENDING_COLUMNS, NOT_PAUSED, limit, CLAIMED_COLUMNS, MARK);
  }

  /**
   * Locks a lane of an endpoint until the end of the transaction, unless somebody else holds it.
   * Advisory locks are database-wide: the table's oid confines them to this schema.
   */
  private static final String LOCKS_LANE =
      "pg_try_advisory_xact_lock("
          + "hashtextextended('inbox ' || '{inbox}.inbox_pending'::regclass::oid || ' ' || ?, lane))";

  /**
   * Locks the next lane that has something due and that nobody has locked: endpoint, the lane to
   * start after, and the endpoint three more times. It is a separate statement so that the next one
   * sees everything that the lane's previous holder has committed.
   *
   * <p>It skips from lane to lane through the index and reads the first due time of each. So the
   * lanes come one by one and in order, however the server plans it, and none after the locked one
   * is read. A join with what is due would return them in arbitrary order, and continuing after the
   * lane that was found would skip others.
   */
  public static String lockLane(long idleTimeoutMillis) {
    return """
        %s;
        SAVEPOINT inbox_lane;
        WITH RECURSIVE lanes (lane, due_on_utc) AS (
          (SELECT lane, due_on_utc FROM {inbox}.inbox_pending
           WHERE endpoint = ? AND lane > ? AND %s
           ORDER BY lane, due_on_utc LIMIT 1)
          UNION ALL
          SELECT next.lane, next.due_on_utc
          FROM lanes l CROSS JOIN LATERAL (
            SELECT p.lane, p.due_on_utc FROM {inbox}.inbox_pending p
            WHERE p.endpoint = ? AND p.lane > l.lane
            ORDER BY p.lane, p.due_on_utc LIMIT 1
          ) next
        ), due AS MATERIALIZED (
          SELECT lane FROM lanes WHERE due_on_utc <= now()
        )
        SELECT lane FROM due WHERE %s
        LIMIT 1
        """
        .formatted(settings(idleTimeoutMillis), NOT_PAUSED, LOCKS_LANE);
  }

  /**
   * Scans what is due in a locked lane, the longest due first: endpoint, lane, the due time and the
   * sequence to start after, keys to leave out, the endpoint and the lane again, the endpoint, and
   * once more the endpoint and the lane.
   *
   * <p>The result is in arrival order: for every key that has something due, its first messages, as
   * many as the key has due, whether these are due or not. Each row carries the last position
   * scanned and the number of rows scanned. Keys blocked by a dead message are flagged; keys of
   * which somebody has leased a message, be it an earlier or a later one, are left out.
   */
  public static String walkLane(int limit) {
    return """
        WITH due AS MATERIALIZED (
          SELECT ordering_key, due_on_utc, seq FROM {inbox}.inbox_pending
          WHERE endpoint = ? AND lane = ? AND due_on_utc <= now() AND (due_on_utc, seq) > (?, ?)
            AND ordering_key <> ALL (?)
            AND ordering_key <> ALL (ARRAY (SELECT l.ordering_key FROM {inbox}.inbox_pending l
                                            WHERE l.endpoint = ? AND %s
                                              AND l.lane IS NOT DISTINCT FROM ?))
          ORDER BY due_on_utc, seq
          LIMIT %d
        ), last AS MATERIALIZED (
          SELECT due_on_utc, seq, (SELECT count(*) FROM due) AS seen FROM due
          ORDER BY due_on_utc DESC, seq DESC LIMIT 1
        ), keys AS MATERIALIZED (
          SELECT k.*, EXISTS (SELECT 1 FROM {inbox}.inbox_dead d
                              WHERE d.endpoint = ? AND d.blocked_key = k.ordering_key) AS blocked
          FROM (SELECT ordering_key, count(*) AS due FROM due GROUP BY ordering_key) k
        )
        SELECT first.seq, keys.ordering_key, first.type, first.due_on_utc <= now() AS due,
               %s AS orphaned, first.crashes, keys.blocked,
               last.due_on_utc AS last_due_on_utc, last.seq AS last_seq, last.seen
        FROM last CROSS JOIN keys CROSS JOIN LATERAL (
          SELECT p.seq, p.type, p.due_on_utc, p.crashes, p.lease, p.xmax AS locker
          FROM {inbox}.inbox_pending p
          WHERE p.endpoint = ? AND p.lane = ? AND p.ordering_key = keys.ordering_key
          ORDER BY p.seq LIMIT keys.due
        ) first
        ORDER BY first.seq
        """
        .formatted(IS_LEASED, limit, isOrphan("first", "first.locker"));
  }

  /** Claims these messages of a locked lane. */
  public static final String CLAIM_THESE =
      """
      WITH claimed AS MATERIALIZED (
        %s
        FROM {inbox}.inbox_pending p WHERE seq = ANY (?) AND due_on_utc <= clock_timestamp()
        ORDER BY seq
        FOR UPDATE SKIP LOCKED
      )
      %s ORDER BY c.seq
      """
          .formatted(PENDING_COLUMNS, CLAIMED_COLUMNS);

  /**
   * Condition on a pending row p: whether it has no ordering key, or is in one of these locked
   * lanes and nobody has leased a message of its key.
   */
  private static final String IS_FREE_IN =
      """
      (p.lane IS NULL OR p.lane = ANY (?)
       AND NOT EXISTS (SELECT 1 FROM {inbox}.inbox_pending l
                       WHERE l.endpoint = p.endpoint AND l.ordering_key = p.ordering_key
                         AND %s))
      """
          .formatted(IS_LEASED);

  /** Claims these messages if they are due: sequences, and the lanes that were locked for them. */
  public static final String CLAIM_DUE =
      """
      WITH claimed AS MATERIALIZED (
        %s
        FROM {inbox}.inbox_pending p WHERE seq = ANY (?) AND due_on_utc <= clock_timestamp() AND %s
        ORDER BY seq
        FOR UPDATE SKIP LOCKED
      )
      %s ORDER BY c.seq
      """
          .formatted(PENDING_COLUMNS, IS_FREE_IN, CLAIMED_COLUMNS);

  /**
   * Claims messages with a crash-risk mark to handle them, due or not: sequences, and the lanes
   * that were locked for them.
   */
  public static final String CLAIM_AT_RISK =
      """
      WITH claimed AS MATERIALIZED (
        %s
        FROM {inbox}.inbox_pending p WHERE seq = ANY (?) AND lease IS NULL AND %s
        ORDER BY seq
        FOR UPDATE SKIP LOCKED
      )
      %s ORDER BY c.seq
      """
          .formatted(PENDING_COLUMNS, IS_FREE_IN, CLAIMED_COLUMNS);

  /** Claims messages with a crash-risk mark, due or not, except those leased by somebody since. */
  public static String reclaim(long idleTimeoutMillis) {
    return """
        %s;
        WITH claimed AS MATERIALIZED (
          %s
          FROM {inbox}.inbox_pending p WHERE seq = ANY (?) AND lease IS NULL
          ORDER BY seq
          FOR UPDATE SKIP LOCKED
        )
        %s ORDER BY c.seq
        """
        .formatted(settings(idleTimeoutMillis), PENDING_COLUMNS, CLAIMED_COLUMNS);
  }

  /**
   * Locks those lanes of these messages that nobody else holds: sequences and endpoint. It is a
   * separate statement for the same reason as {@link #lockLane}.
   */
  public static final String LOCK_LANES_OF =
      """
      SELECT lane FROM (SELECT DISTINCT lane FROM {inbox}.inbox_pending
                        WHERE seq = ANY (?) AND lane IS NOT NULL) l
      WHERE %s
      """
          .formatted(LOCKS_LANE);

  /**
   * The messages that this transaction has just stored and can handle itself: types, sequences, the
   * lanes that were locked, the first sequence, and the endpoint.
   *
   * <p>A message with an ordering key must be in a locked lane, and no earlier message of the key
   * may be pending.
   */
  public static final String CLAIM_RECEIVED =
      """
      WITH mine AS MATERIALIZED (
        %s,
               p.endpoint, p.lane, p.ordering_key,
               p.type = ANY (?) AND p.due_on_utc <= now() AND NOT m.redelivered AS ready
        FROM {inbox}.inbox_pending p JOIN {inbox}.inbox_messages m USING (seq) WHERE p.seq = ANY (?)
      ), claimed AS MATERIALIZED (
        SELECT * FROM (SELECT *, bool_and(ready) OVER (PARTITION BY ordering_key ORDER BY seq) AS all_ready
              FROM mine) w
        WHERE ready AND (lane IS NULL OR all_ready AND lane = ANY (?)
            AND NOT EXISTS (SELECT 1 FROM {inbox}.inbox_pending e
                            WHERE e.endpoint = w.endpoint AND e.lane = w.lane
                              AND e.ordering_key = w.ordering_key AND e.seq < ?)
            AND NOT EXISTS (SELECT 1 FROM {inbox}.inbox_dead d
                            WHERE d.endpoint = w.endpoint AND d.blocked_key = w.ordering_key))
          AND %s
      )
      %s ORDER BY c.seq
      """
          .formatted(PENDING_COLUMNS, NOT_PAUSED, CLAIMED_COLUMNS);

  /** Leases claimed messages, and marks the orphaned ones among them as a crash risk. */
  public static final String LEASE =
      """
      WITH next AS MATERIALIZED (SELECT nextval('{inbox}.inbox_lease') AS token)
      UPDATE {inbox}.inbox_pending p
      SET lease = next.token, crashes = crashes + l.orphaned::int,
          due_on_utc = clock_timestamp() + :time
      FROM next, unnest(:seqs, :orphans) AS l (seq, orphaned) WHERE p.seq = l.seq
      RETURNING p.seq, p.lease
      """;

  /** Which of these leases are still held. */
  public static final String STILL_LEASED =
      """
      SELECT p.seq, p.lease
      FROM {inbox}.inbox_pending p JOIN unnest(:seqs, :tokens) AS l (seq, token)
        ON p.seq = l.seq AND p.lease = l.token
      """;

  public static final String CLAIM_LEASED =
      STILL_LEASED + "ORDER BY p.seq FOR UPDATE OF p SKIP LOCKED";

  public static final String RENEW =
      """
      WITH mine AS MATERIALIZED (
      %s)
      UPDATE {inbox}.inbox_pending p SET due_on_utc = clock_timestamp() + :time
      FROM mine WHERE p.seq = mine.seq
      RETURNING p.seq, p.lease
      """
          .formatted(CLAIM_LEASED);

  public static final String GIVE_BACK =
      """
      WITH mine AS MATERIALIZED (
      %s)
      UPDATE {inbox}.inbox_pending p
      SET lease = NULL, crashes = greatest(crashes - 1, 0), due_on_utc = clock_timestamp()
      FROM mine WHERE p.seq = mine.seq
      """
          .formatted(STILL_LEASED + "ORDER BY p.seq FOR UPDATE OF p\n");

  public static final String MARK_CRASH_RISK =
      """
      UPDATE {inbox}.inbox_pending SET crashes = crashes + 1, lease = NULL, due_on_utc = clock_timestamp() + :holdBack
      WHERE seq = ANY (:seqs)
      """;

  /** The number of the attempt that a crash has ended is returned; 0 if it did not count as one. */
  public static final String MARK_CRASH_RISK_ALONE =
      """
      UPDATE {inbox}.inbox_pending SET crashes = crashes + 1, lease = NULL, due_on_utc = clock_timestamp() + :holdBack
      WHERE seq = (SELECT seq FROM {inbox}.inbox_pending WHERE seq = :seq AND due_on_utc <= clock_timestamp()
                   FOR UPDATE SKIP LOCKED)
      RETURNING CASE WHEN crashes > 2 THEN attempts + crashes - 2 ELSE 0 END
      """;

  public static final String CLEAR_CRASH_RISK =
      """
      UPDATE {inbox}.inbox_pending
      SET crashes = crashes - 1,
          due_on_utc = CASE WHEN lease IS NULL THEN clock_timestamp() ELSE due_on_utc END
      WHERE seq = ANY (:seqs) AND crashes > 0
      """;

  /**
   * Clears the crash-risk marks of messages that could not be handled because somebody else held
   * their key. The lease 0, which has expired already, leaves them orphaned, as they were.
   */
  public static final String PUT_BACK =
      """
      WITH mine AS MATERIALIZED (
        SELECT p.seq FROM {inbox}.inbox_pending p JOIN unnest(:seqs, :crashes) AS n (seq, crashes)
          ON p.seq = n.seq AND p.crashes = n.crashes
        WHERE p.lease IS NULL
        ORDER BY p.seq FOR UPDATE OF p SKIP LOCKED
      )
      UPDATE {inbox}.inbox_pending p
      SET crashes = p.crashes - 1, lease = 0, due_on_utc = clock_timestamp()
      FROM mine WHERE p.seq = mine.seq
      """;

  /** The number of a pending message's current attempt; crashes count from the second on. */
  private static final String ATTEMPT = "attempts + greatest(crashes - 1, 1)";

  /** Fails unless it finds all of them: the commit is sent before the result is read. */
  public static final String PROCESSED =
      """
      WITH done AS (
        DELETE FROM {inbox}.inbox_pending WHERE seq = ANY (:seqs)
        RETURNING seq, {attempt} AS attempts
      ), kept AS (
        INSERT INTO {inbox}.inbox_processed (seq, attempts, processed_on_utc)
        SELECT seq, attempts, statement_timestamp() FROM done
      )
      SELECT CASE count(*) WHEN CAST(:count AS bigint) THEN count(*)
                  ELSE format('%s of %s messages of %s were not there any more when they got their outcome',
                              CAST(:count AS bigint) - count(*), CAST(:count AS bigint),
                              CAST(:endpoint AS text))::bigint END
      FROM done
      """
          .replace("{attempt}", ATTEMPT);

  public static final String PROCESSED_AND_COMMIT = PROCESSED + "; COMMIT";

  /** Schedules the next attempts, and records the failed ones. */
  public static final String RETRY =
      """
      WITH failed AS (
        UPDATE {inbox}.inbox_pending p
        SET attempts = %s, crashes = r.alone::int, lease = NULL,
            due_on_utc = clock_timestamp() + r.delay, last_error = r.error
        FROM unnest(:seqs, :delays::interval[], :errors, :alone, %s)
             AS r (seq, delay, error, alone, %s)
        WHERE p.seq = r.seq
        RETURNING p.seq, p.attempts AS attempt, %s
      ), %s
      SELECT count(*) FROM failed
      """
          .formatted(
              ATTEMPT,
              HistorySql.ARRAYS,
              HistorySql.COLUMNS,
              HistorySql.COLUMNS,
              HistorySql.RECORD);

  public static final String POSTPONED =
      """
      UPDATE {inbox}.inbox_pending p
      SET crashes = 0, lease = NULL, due_on_utc = coalesce(r.at, clock_timestamp() + r.delay)
      FROM unnest(:seqs, :times::timestamptz[], :delays::interval[]) AS r (seq, at, delay)
      WHERE p.seq = r.seq
      """;

  /** Gives messages up, and records their last attempts. */
  public static final String DEAD =
      """
      WITH failed AS (
        DELETE FROM {inbox}.inbox_pending p
        USING unnest(:seqs, :errors, :holds, %s) AS d (seq, error, holds, %s)
        WHERE p.seq = d.seq
        RETURNING p.seq, %s AS attempt, d.error, p.endpoint,
                  CASE WHEN d.holds THEN p.ordering_key END AS blocked_key, %s
      ), gone AS (
        INSERT INTO {inbox}.inbox_dead (seq, attempts, error, dead_on_utc, endpoint, blocked_key)
        SELECT seq, attempt, error, statement_timestamp(), endpoint, blocked_key FROM failed
      ), %s
      SELECT count(*) FROM failed
      """
          .formatted(
              HistorySql.ARRAYS,
              HistorySql.COLUMNS,
              ATTEMPT,
              HistorySql.COLUMNS,
              HistorySql.RECORD);

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

  public static final String KEEP_LANE = "RELEASE SAVEPOINT inbox_lane";
  public static final String FREE_LANE =
      "ROLLBACK TO SAVEPOINT inbox_lane; RELEASE SAVEPOINT inbox_lane";

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
                   'idle_in_transaction_session_timeout', 'lock_timeout', 'search_path',
                   'statement_timeout'])
      WITH ORDINALITY AS s (name, n)
      """;

  public static final String READ_SETTINGS =
      "SELECT array_agg(current_setting(name) ORDER BY n) FROM " + SETTINGS;

  public static final String RESTORE_SETTINGS =
      "SELECT set_config(name, (?::text[])[n], true) FROM " + SETTINGS;

  /** Does not wait until the commit is durable: a crash ends the listening sessions, too. */
  public static final String NOTIFY =
      """
      SELECT set_config('synchronous_commit', 'off', true), pg_notify('{channel}', notification)::text
      FROM unnest(:notifications) AS notification
      """;

  /**
   * Makes the server drop notifications that every listener has read. Once the queue is full, the
   * server does so only for a session that asks this.
   */
  public static final String DROP_HEARD = "SELECT pg_notification_queue_usage()::text";

  public static final String NOTIFY_CHANNEL = "SELECT pg_notify(:channel, '')::text";
  public static final String SESSION = "SELECT pg_backend_pid()";
  public static final String LISTEN = "LISTEN \"{channel}\"";
  public static final String UNLISTEN = "UNLISTEN \"{channel}\"";

  public static final String SYNCHRONOUS_COMMIT = "SELECT current_setting('synchronous_commit')";

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
      "SELECT pg_advisory_xact_lock(hashtextextended('inbox migration {inbox}', 0))";

  static final String MIGRATION_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'";
  public static final String HAS_MIGRATIONS =
      "SELECT to_regclass('{inbox}.inbox_migrations') IS NOT NULL";
  static final String MIGRATION_VERSIONS = "SELECT version FROM {inbox}.inbox_migrations";
}
