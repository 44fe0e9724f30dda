package io.inbox4j.jdbi.internal.sql;

/** The statements of operators and monitoring, readable enough to paste into psql. */
public final class OperatorSql {

  private OperatorSql() {}

  public static final String VERSION =
      "SELECT coalesce(max(version), 0) FROM {inbox}.inbox_migrations";

  public static final String PAUSE =
      """
      INSERT INTO {inbox}.inbox_paused (endpoint, paused_by, reason) VALUES (:endpoint, :by, :reason)
      ON CONFLICT (endpoint) DO NOTHING
      """;

  public static final String RESUME =
      """
      WITH gone AS (DELETE FROM {inbox}.inbox_paused WHERE endpoint = :endpoint RETURNING endpoint)
      SELECT pg_notify('{channel}', '* ' || endpoint)::text FROM gone
      WHERE pg_notification_queue_usage() < 0.9
      """;

  public static final String PAUSE_OF =
      "SELECT paused_by, reason, paused_on_utc FROM {inbox}.inbox_paused WHERE endpoint = :endpoint";

  /** The condition of a {@link io.inbox4j.operations.MessageFilter} on these expressions. */
  private static String matches(
      String sequence, String endpoint, String type, String text, String time) {
    return """
        %1$s > :after AND (CAST(:sequence AS bigint) IS NULL OR %1$s = :sequence)
          AND (CAST(:endpoint AS text) IS NULL OR %2$s = :endpoint)
          AND (cardinality(:types) = 0 OR %3$s = ANY (:types))
          AND (CAST(:text AS text) IS NULL OR strpos(%4$s, :text) > 0)
          AND (CAST(:olderThan AS interval) IS NULL OR %5$s <= now() - CAST(:olderThan AS interval))
        """
        .formatted(sequence, endpoint, type, text, time);
  }

  private static final String CHOSEN_DEAD =
      """
      SELECT d.seq, m.endpoint, m.message_id, m.type, d.attempts, d.error, d.dead_on_utc,
             m.ordering_key,
             (SELECT count(*) FROM {inbox}.inbox_interventions i
              WHERE i.origin = 'dead' AND i.seq = d.seq AND i.action = 'replay') AS replays
      FROM {inbox}.inbox_dead d JOIN {inbox}.inbox_messages m USING (seq)
      WHERE %s
      ORDER BY d.seq
      LIMIT :limit
      """
          .formatted(matches("d.seq", "m.endpoint", "m.type", "d.error", "d.dead_on_utc"));

  public static final String LIST_DEAD = CHOSEN_DEAD;

  /** Makes what earlier messages of these keys hold up due now. */
  private static String letGo(String holders) {
    return """
        , let_go AS (
          UPDATE {inbox}.inbox_pending p SET due_on_utc = now()
          FROM (SELECT h.endpoint, h.lane, h.seq
                FROM (SELECT DISTINCT endpoint, ordering_key FROM %s) k
                JOIN {inbox}.inbox_pending h
                  ON h.endpoint = k.endpoint AND h.ordering_key = k.ordering_key AND h.%s
                FOR UPDATE OF h SKIP LOCKED) f
          WHERE p.endpoint = f.endpoint AND p.lane = f.lane AND p.seq = f.seq
        )
        """
        .formatted(holders, PendingSql.IS_HELD);
  }

  /** Removes dead messages from the list, and records who did it. */
  private static String takeDead(String action) {
    return """
        WITH chosen AS (
        %s FOR UPDATE OF d SKIP LOCKED
        ), gone AS (
          DELETE FROM {inbox}.inbox_dead WHERE seq IN (SELECT seq FROM chosen)
          RETURNING seq
        ), recorded AS (
          INSERT INTO {inbox}.inbox_interventions (action, origin, seq, endpoint, message_id, type, reason,
                                           done_by)
          SELECT '%s', 'dead', seq, endpoint, message_id, type, error, :by
          FROM chosen JOIN gone USING (seq) ORDER BY seq
        )
        """
        .formatted(CHOSEN_DEAD, action);
  }

  /**
   * What was removed, in order; notifies listening processes once per endpoint, unless the server's
   * queue of notifications is so full that the commit might fail: then they find it by polling.
   */
  private static final String TAKEN_DEAD =
      """
      SELECT chosen.*, (SELECT count(told::text)
                        FROM (SELECT DISTINCT endpoint FROM chosen
                              WHERE pg_notification_queue_usage() < 0.9) e,
                             pg_notify('{channel}', '* ' || endpoint) told)
      FROM chosen ORDER BY seq
      """;

  public static final String REPLAY_DEAD =
      takeDead("replay")
          + """
          , queued AS (
            INSERT INTO {inbox}.inbox_pending (seq, endpoint, type, ordering_key, lane)
            SELECT seq, endpoint, type, ordering_key,
                   (-1 - {inbox}.inbox_lane(ordering_key, seq))::smallint
            FROM chosen JOIN gone USING (seq) ORDER BY seq
          )
          """
          + letGo("chosen JOIN gone USING (seq)")
          + TAKEN_DEAD;

  public static final String DISCARD_DEAD =
      takeDead("discard") + letGo("chosen JOIN gone USING (seq)") + TAKEN_DEAD;

  /** The endpoints that have anything pending; it skips from one to the next. */
  private static final String PENDING_ENDPOINTS =
      """
      WITH RECURSIVE pending_at (endpoint) AS (
        (SELECT endpoint FROM {inbox}.inbox_pending ORDER BY endpoint LIMIT 1)
        UNION ALL
        SELECT (SELECT p.endpoint FROM {inbox}.inbox_pending p
                WHERE p.endpoint > a.endpoint ORDER BY p.endpoint LIMIT 1)
        FROM pending_at a WHERE a.endpoint IS NOT NULL
      )
      """;

  /** Every lane, and where its messages are parked. */
  private static final String PLACES = "generate_series(-256, 127) AS l (lane)";

  /** What is due and in which lane: parked messages wait, too, but for their time. */
  private static final String LANES = "generate_series(0, 127) AS l (lane)";

  /** Whether anything is pending at the endpoint e; if not, no lane has to be looked into. */
  private static final String ANYTHING =
      "EXISTS (SELECT FROM {inbox}.inbox_pending first WHERE first.endpoint = e.endpoint)";

  /** Those of messages with an ordering key. */
  private static final String KEYED_LANES = "generate_series(64, 127) AS l (lane)";

  /** In arrival order: the first ones of every lane, merged. */
  private static String chosenPending(String condition) {
    return PENDING_ENDPOINTS
        + """
        SELECT p.seq, p.lane, p.endpoint, m.message_id, p.type, p.attempts, p.last_error AS error,
               p.ordering_key, m.received_on_utc, p.due_on_utc
        FROM pending_at a CROSS JOIN %s CROSS JOIN LATERAL (
          SELECT p.* FROM {inbox}.inbox_pending p JOIN {inbox}.inbox_messages m USING (seq)
          WHERE p.endpoint = a.endpoint AND p.lane = l.lane::smallint AND %s AND %s
          ORDER BY p.seq
          LIMIT :limit) p
        JOIN {inbox}.inbox_messages m USING (seq)
        ORDER BY p.seq
        LIMIT :limit
        """
            .formatted(
                PLACES,
                matches("p.seq", "p.endpoint", "p.type", "p.last_error", "m.received_on_utc"),
                condition);
  }

  public static final String LIST_PENDING = chosenPending("true");

  /** Those that have failed. */
  public static final String LIST_RETRYING = chosenPending("p.attempts > 0");

  /** The newest first. */
  public static final String LIST_PROCESSED =
      """
      SELECT m.message_id, m.endpoint, m.type, p.attempts, p.processed_on_utc
      FROM {inbox}.inbox_processed p JOIN {inbox}.inbox_messages m USING (seq)
      WHERE %s
      ORDER BY p.seq DESC
      LIMIT :limit
      """
          .formatted(matches("p.seq", "m.endpoint", "m.type", "''", "p.processed_on_utc"));

  /** A message by its id, at every endpoint at which it arrived. */
  public static final String FIND =
      """
      SELECT * FROM {inbox}.inbox_details
      WHERE message_id = :id AND (CAST(:endpoint AS text) IS NULL OR endpoint = :endpoint)
      ORDER BY endpoint
      """;

  /** The messages to follow: the newest, the oldest pending, and those followed before. */
  public static final String FOLLOW =
      PENDING_ENDPOINTS
          + """
      SELECT seq, message_id, endpoint, type, status, attempts, error
      FROM {inbox}.inbox_details
      WHERE seq IN (
        SELECT seq FROM (SELECT seq FROM {inbox}.inbox_messages ORDER BY seq DESC LIMIT :recent) newest
        UNION SELECT seq FROM (SELECT p.seq FROM pending_at a CROSS JOIN %s CROSS JOIN LATERAL (
                                 SELECT seq FROM {inbox}.inbox_pending
                                 WHERE endpoint = a.endpoint AND lane = l.lane::smallint
                                 ORDER BY seq LIMIT :recent) p
                               ORDER BY p.seq LIMIT :recent) oldest
        UNION SELECT unnest(:before))
      ORDER BY seq
      """
              .formatted(PLACES);

  public static final String LAST_QUARANTINED =
      "SELECT coalesce(max(seq), 0) FROM {inbox}.inbox_quarantine";

  /**
   * Changes pending messages, records who did it, and notifies listening processes once per
   * endpoint. What a worker has in flight stays unchanged: locked and leased rows, and those marked
   * as a crash risk.
   */
  private static String changePending(String condition, String action, String change) {
    return """
        WITH chosen AS MATERIALIZED (
        %s
        ), free AS MATERIALIZED (
          SELECT p.endpoint, p.lane, p.seq FROM chosen c JOIN {inbox}.inbox_pending p
            ON p.endpoint = c.endpoint AND p.lane = c.lane AND p.seq = c.seq
          WHERE p.lane >= 0 OR p.due_on_utc <= now() OR (p.lease IS NULL AND p.crashes = 0)
          ORDER BY p.seq
          FOR UPDATE OF p SKIP LOCKED
        ), changed AS (
          %s
          WHERE p.endpoint = free.endpoint AND p.lane = free.lane AND p.seq = free.seq
          RETURNING p.seq
        )
        %s
        , recorded AS (
          INSERT INTO {inbox}.inbox_interventions (action, origin, seq, endpoint, message_id, type, reason,
                                           done_by)
          SELECT '%s', 'pending', seq, endpoint, message_id, type,
                 concat_ws(': ', to_char(due_on_utc AT TIME ZONE 'UTC', '"due at "YYYY-MM-DD"T"HH24:MI:SS"Z"'), error),
                 :by
          FROM chosen JOIN changed USING (seq) ORDER BY seq
        )
        SELECT chosen.*, changed.seq IS NOT NULL AS changed,
               (SELECT count(told::text)
                FROM (SELECT DISTINCT endpoint FROM chosen JOIN changed USING (seq)
                      WHERE pg_notification_queue_usage() < 0.9) e,
                     pg_notify('{channel}', '* ' || endpoint) told)
        FROM chosen LEFT JOIN changed USING (seq) ORDER BY seq
        """
        .formatted(
            chosenPending(condition), change, letGo("chosen JOIN changed USING (seq)"), action);
  }

  public static final String EXPEDITE_PENDING =
      changePending(
          "p.lane BETWEEN -128 AND -1 AND p.due_on_utc > now()",
          "expedite",
          "UPDATE {inbox}.inbox_pending p SET due_on_utc = now() FROM free");

  public static final String DISCARD_PENDING =
      changePending("true", "discard", "DELETE FROM {inbox}.inbox_pending p USING free");

  private static final String QUARANTINE_ENTRY =
      """
      SELECT seq, endpoint, reason, detail, quarantined_on_utc, message_id, type,
             octet_length(body) AS body_size
      FROM {inbox}.inbox_quarantine
      """;

  private static final String CHOSEN_QUARANTINED =
      """
      WHERE %s
      ORDER BY seq
      LIMIT :limit
      """
          .formatted(
              matches("seq", "endpoint", "type", "reason || ' ' || detail", "quarantined_on_utc"));

  public static final String QUARANTINE_ENTRIES = QUARANTINE_ENTRY + CHOSEN_QUARANTINED;

  /** Deliveries quarantined for an unknown type that is one of these; each is an index lookup. */
  public static final String ADOPTABLE =
      """
      SELECT q.* FROM unnest(:types) AS t (name) CROSS JOIN LATERAL (
        %s
        WHERE endpoint = :endpoint AND left(type, 255) = left(t.name, 255) AND type = t.name
          AND reason = 'unknown-type' AND seq > :after
        ORDER BY seq LIMIT :limit
      ) q
      ORDER BY q.seq LIMIT :limit
      """
          .formatted(QUARANTINE_ENTRY);

  public static final String QUARANTINED =
      "SELECT * FROM {inbox}.inbox_quarantine WHERE seq = ANY (:seqs) ORDER BY seq\n";

  public static final String LOCK_QUARANTINED = QUARANTINED + "FOR UPDATE SKIP LOCKED";

  /** Updates the reason for which deliveries are in quarantine. */
  public static final String FOUND_IN_QUARANTINE =
      """
      UPDATE {inbox}.inbox_quarantine q SET reason = f.reason, detail = f.detail
      FROM unnest(:seqs, :reasons, :details) AS f (seq, reason, detail) WHERE q.seq = f.seq
      """;

  /** Records who removed deliveries from the quarantine. */
  private static String recordGone(String action) {
    return """
        INSERT INTO {inbox}.inbox_interventions (action, origin, seq, endpoint, message_id, type, reason,
                                         done_by)
        SELECT '%s', 'quarantine', seq, endpoint, message_id, type, reason || ': ' || detail, :by
        FROM gone ORDER BY seq
        """
        .formatted(action);
  }

  public static final String LEAVE_QUARANTINE =
      """
      WITH gone AS (
        DELETE FROM {inbox}.inbox_quarantine WHERE seq = ANY (:seqs)
        RETURNING seq, endpoint, message_id, type, reason, detail
      )
      """
          + recordGone("replay");

  public static final String DISCARD_QUARANTINED =
      """
      WITH chosen AS (
        SELECT seq FROM {inbox}.inbox_quarantine
        %s FOR UPDATE SKIP LOCKED
      ), gone AS (
        DELETE FROM {inbox}.inbox_quarantine WHERE seq IN (SELECT seq FROM chosen)
        RETURNING seq, endpoint, message_id, type, reason, detail
      ), recorded AS (
      %s
      )
      SELECT seq FROM gone ORDER BY seq
      """
          .formatted(CHOSEN_QUARANTINED, recordGone("discard"));

  public static final String INTERVENTIONS =
      """
      SELECT * FROM {inbox}.inbox_interventions
      WHERE origin = :origin AND %s
      ORDER BY id DESC
      LIMIT :limit
      """
          .formatted(matches("seq", "endpoint", "type", "reason", "done_on_utc"));

  /**
   * How many messages of an endpoint are pending, counted up to a limit, and how long the first of
   * them has been due: the first of each lane, or one that is parked no longer.
   */
  public static final String BACKLOG =
      """
      SELECT (SELECT count(*) FROM (SELECT 1 FROM {inbox}.inbox_pending
                                    WHERE endpoint = :endpoint LIMIT :exact) p) AS pending,
             (extract(epoch FROM now() - least(now(),
               (SELECT due_on_utc FROM {inbox}.inbox_pending
                WHERE endpoint = :endpoint AND lane < 0 ORDER BY due_on_utc LIMIT 1),
               (SELECT min(head.due_on_utc)
                FROM %s,
                     LATERAL (SELECT p.due_on_utc FROM {inbox}.inbox_pending p
                              WHERE p.endpoint = :endpoint AND p.lane = l.lane::smallint
                              ORDER BY p.seq LIMIT 1) head))) * 1000)::bigint AS oldest_millis
      """
          .formatted(LANES);

  /** The planner's estimate, as the first line of its plan. */
  public static final String ESTIMATE_PENDING =
      "EXPLAIN SELECT FROM {inbox}.inbox_pending WHERE endpoint = :endpoint";

  /** The planner's estimate of what is to be removed, which is enough for a progress bar. */
  public static final String ESTIMATE_PROCESSED =
      "EXPLAIN SELECT FROM {inbox}.inbox_processed WHERE processed_on_utc < now() - :age";

  public static final String SHORT_TIMEOUT = "SET LOCAL statement_timeout = '1s'";

  /**
   * Limits the duration of a status query, and restricts it to index scans, whatever was known
   * about the tables when it was planned. What is not possible with them costs so much, as the
   * planner counts, that a server would compile the query each time.
   */
  public static String lookFor(long millis) {
    return """
        SET LOCAL statement_timeout = %d;
        SET LOCAL enable_seqscan = off;
        SET LOCAL enable_bitmapscan = off;
        SET LOCAL jit = off
        """
        .formatted(millis);
  }

  /**
   * Whether the database is writable, and the oldest transaction that holds back vacuum. A role
   * that may not see other sessions does not see when their transactions began.
   */
  public static final String OLDEST_TRANSACTION =
      """
      SELECT current_setting('transaction_read_only')::boolean AS read_only,
             pg_has_role('pg_read_all_stats', 'USAGE') AS sees_all, current_user AS role,
             EXTRACT(EPOCH FROM clock_timestamp() - o.begun) AS age, o.holder
      FROM (SELECT 1) one LEFT JOIN LATERAL (
        SELECT xact_start AS begun,
               format('process %s of role %s, application ''%s'', %s',
                      pid, usename, application_name, state) AS holder
        FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'
          AND pid <> pg_backend_pid() AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)
        UNION ALL
        SELECT prepared, format('prepared transaction ''%s'' of role %s', gid, owner)
        FROM pg_prepared_xacts WHERE database = current_database()
        ORDER BY begun LIMIT 1
      ) o ON true
      """;

  /**
   * What is waiting at endpoints: the first message of every lane, and what is parked. Of those
   * that an earlier message of their key holds up, some thousands are examined.
   */
  public static final String WAITING =
      """
      SELECT e.endpoint, EXTRACT(EPOCH FROM now() - due.due_on_utc) AS due, due.leased,
             stuck.message_id AS stuck_id, stuck.type AS stuck_type, stuck.crashes,
             blocking.message_id AS blocking_id,
             blocked.waiting, blocked.message_id AS blocked_by, blocked.until,
             pause.paused_by, pause.reason, pause.paused_on_utc
      FROM unnest(:endpoints) AS e (endpoint)
      LEFT JOIN LATERAL (
        SELECT * FROM (
          (SELECT due_on_utc, lease IS NOT NULL AS leased FROM {inbox}.inbox_pending
           WHERE endpoint = e.endpoint AND lane < 0 AND due_on_utc <= now()
           ORDER BY due_on_utc, seq LIMIT 1)
          UNION ALL
          (SELECT head.due_on_utc, head.leased FROM %s CROSS JOIN LATERAL (
             SELECT p.due_on_utc, p.lease IS NOT NULL AS leased
             FROM (SELECT * FROM {inbox}.inbox_pending
                   WHERE endpoint = e.endpoint AND lane = l.lane::smallint
                   ORDER BY seq LIMIT 100) p
             WHERE p.ordering_key IS NULL
               OR NOT EXISTS (SELECT FROM {inbox}.inbox_dead d
                              WHERE d.endpoint = e.endpoint AND d.blocked_key = p.ordering_key)
               AND NOT EXISTS (SELECT FROM {inbox}.inbox_pending b
                               WHERE b.endpoint = e.endpoint AND b.lane < 0
                                 AND b.ordering_key = p.ordering_key AND b.seq < p.seq)
             ORDER BY p.seq LIMIT 1) head
           WHERE %s
           ORDER BY head.due_on_utc LIMIT 1)
        ) parked_or_not ORDER BY due_on_utc LIMIT 1
      ) due ON true
      LEFT JOIN LATERAL (
        SELECT m.message_id, m.type, p.crashes
        FROM {inbox}.inbox_pending p JOIN {inbox}.inbox_messages m USING (seq)
        WHERE p.endpoint = e.endpoint AND p.crashes > 0
          AND (p.crashes > 1 OR p.lane >= 0 OR p.due_on_utc <= now())
        ORDER BY p.crashes DESC, p.seq DESC LIMIT 1
      ) stuck ON true
      LEFT JOIN LATERAL (
        SELECT m.message_id FROM {inbox}.inbox_dead d JOIN {inbox}.inbox_messages m USING (seq)
        WHERE d.endpoint = e.endpoint AND d.blocked_key IS NOT NULL
        ORDER BY d.blocked_key LIMIT 1
      ) blocking ON true
      LEFT JOIN LATERAL (
        SELECT sum(behind.waiting) OVER () AS waiting, m.message_id, head.due_on_utc AS until
        FROM (SELECT ordering_key, count(*) AS waiting
              FROM (SELECT ordering_key FROM (
                      SELECT ordering_key FROM {inbox}.inbox_pending
                      WHERE endpoint = e.endpoint AND lane < 0 AND ordering_key IS NOT NULL
                        AND %s LIMIT 6400) held
                    UNION ALL
                    SELECT p.ordering_key FROM %s CROSS JOIN LATERAL (
                      SELECT ordering_key FROM {inbox}.inbox_pending
                      WHERE endpoint = e.endpoint AND lane = l.lane::smallint
                      ORDER BY seq LIMIT 100) p WHERE %s) waits
              GROUP BY ordering_key) behind
        CROSS JOIN LATERAL (
          SELECT p.seq, p.due_on_utc, p.lease FROM {inbox}.inbox_pending p
          WHERE p.endpoint = e.endpoint AND p.lane < 0 AND p.ordering_key = behind.ordering_key
          ORDER BY p.seq LIMIT 1) head
        JOIN {inbox}.inbox_messages m ON m.seq = head.seq
        WHERE head.due_on_utc > now() + CAST(:long AS interval) AND head.lease IS NULL
          AND NOT EXISTS (SELECT FROM {inbox}.inbox_dead d
                          WHERE d.endpoint = e.endpoint AND d.blocked_key = behind.ordering_key)
        ORDER BY head.due_on_utc DESC LIMIT 1
      ) blocked ON true
      LEFT JOIN {inbox}.inbox_paused pause ON pause.endpoint = e.endpoint
      """
          .formatted(LANES, ANYTHING, PendingSql.IS_HELD, KEYED_LANES, ANYTHING);

  /** Restricts a query to index scans, whatever the tables contain and the statistics say. */
  public static final String BY_INDEX_ONLY =
      "SET LOCAL statement_timeout = '5s'; SET LOCAL enable_seqscan = off; SET LOCAL"
          + " enable_bitmapscan = off; SET LOCAL jit = off";

  /**
   * The endpoints that have anything pending, dead, quarantined or paused, or at which one of the
   * last thousand messages arrived. It skips from one to the next through the indexes.
   */
  public static final String ENDPOINTS =
      """
      WITH RECURSIVE pending_at (endpoint) AS (
        (SELECT endpoint FROM {inbox}.inbox_pending ORDER BY endpoint LIMIT 1)
        UNION ALL
        SELECT (SELECT p.endpoint FROM {inbox}.inbox_pending p
                WHERE p.endpoint > a.endpoint ORDER BY p.endpoint LIMIT 1)
        FROM pending_at a WHERE a.endpoint IS NOT NULL
      ), aside (endpoint) AS (
        (SELECT endpoint FROM {inbox}.inbox_quarantine ORDER BY endpoint LIMIT 1)
        UNION ALL
        SELECT (SELECT q.endpoint FROM {inbox}.inbox_quarantine q
                WHERE q.endpoint > a.endpoint ORDER BY q.endpoint LIMIT 1)
        FROM aside a WHERE a.endpoint IS NOT NULL
      )
      SELECT endpoint FROM (
        SELECT endpoint FROM pending_at
        UNION SELECT endpoint FROM aside
        UNION SELECT endpoint FROM {inbox}.inbox_paused
        UNION SELECT endpoint FROM (SELECT endpoint FROM {inbox}.inbox_dead ORDER BY seq LIMIT :exact) dead
        UNION SELECT endpoint FROM (SELECT endpoint FROM {inbox}.inbox_messages
                                    ORDER BY seq DESC LIMIT :recent) recent
      ) every WHERE endpoint IS NOT NULL ORDER BY endpoint
      """;

  /**
   * How many are retrying, dead and quarantined; each is counted up to a limit. What is parked
   * comes first.
   */
  public static final String COUNTS =
      """
      WITH dead AS MATERIALIZED (
        SELECT endpoint, count(*) AS n
        FROM (SELECT endpoint FROM {inbox}.inbox_dead ORDER BY seq LIMIT :exact) d GROUP BY endpoint
      )
      SELECT e.endpoint, coalesce(dead.n, 0) AS dead,
             (SELECT count(*) FROM (SELECT attempts FROM {inbox}.inbox_pending p
                                    WHERE p.endpoint = e.endpoint
                                    ORDER BY p.lane, p.seq LIMIT :exact) u WHERE attempts > 0) AS retrying,
             (SELECT count(*) FROM (SELECT 1 FROM {inbox}.inbox_quarantine q
                                    WHERE q.endpoint = e.endpoint LIMIT :exact) q) AS quarantined
      FROM unnest(:endpoints) AS e (endpoint) LEFT JOIN dead USING (endpoint)
      """;

  /** Of the last messages that arrived: how many per second, over at most the last minute. */
  public static final String RECEIVED =
      """
      WITH recent AS MATERIALIZED (
        SELECT endpoint, received_on_utc AS at FROM {inbox}.inbox_messages ORDER BY seq DESC LIMIT :recent
      ), span AS (
        SELECT CASE WHEN count(*) < :recent THEN 60
                    ELSE least(60, greatest(0.001, extract(epoch FROM now() - min(at)))) END AS seconds
        FROM recent
      )
      SELECT endpoint, count(*) FILTER (WHERE at > now() - interval '60 s') / max(seconds) AS rate,
             NULL::bigint AS lag_millis
      FROM recent, span GROUP BY endpoint
      """;

  /**
   * Of the last messages that were processed: how many per second, and the 95th percentile of their
   * lag.
   */
  public static final String PROCESSED =
      """
      WITH recent AS MATERIALIZED (
        SELECT seq, processed_on_utc AS at FROM {inbox}.inbox_processed ORDER BY seq DESC LIMIT :recent
      ), span AS (
        SELECT CASE WHEN count(*) < :recent THEN 60
                    ELSE least(60, greatest(0.001, extract(epoch FROM now() - min(at)))) END AS seconds
        FROM recent
      )
      SELECT m.endpoint, count(*) FILTER (WHERE at > now() - interval '60 s') / max(seconds) AS rate,
             (1000 * extract(epoch FROM percentile_disc(0.95) WITHIN GROUP
               (ORDER BY greatest(r.at - m.received_on_utc, interval '0')))) :: bigint AS lag_millis
      FROM recent r JOIN {inbox}.inbox_messages m USING (seq), span GROUP BY m.endpoint
      """;
}
