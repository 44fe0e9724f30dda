package io.inbox4j.jdbi.internal.sql;

/** The statements that claim messages, in lanes that were locked for it or by what they are. */
public final class ClaimSql {

  private ClaimSql() {}

  /** What a claim selects for update; skipped rows are not examined any further. */
  private static final String PENDING_COLUMNS =
      "SELECT p.seq, p.lane, p.due_on_utc, p.attempts, p.crashes, p.lease, p.xmax AS locker";

  private static final String CLAIMED_COLUMNS =
      """
      SELECT c.seq, c.lane, c.due_on_utc, c.attempts, c.crashes, %s AS orphaned,
             m.message_id, m.type, m.body, m.headers, m.correlation_id, m.source, m.redelivered,
             m.received_on_utc, statement_timestamp() AS claimed_on_utc, m.ordering_key, m.content_type
      FROM claimed c JOIN {inbox}.inbox_messages m USING (seq)
      """
          .formatted(PendingSql.isOrphan("c", "c.locker"));

  /**
   * Claims what is in these lanes: lanes of messages without an ordering key, the sequence to start
   * after in each, the endpoint, and types.
   *
   * <p>The limit is a literal, so that the plan is made for it.
   *
   * <p>A row that carries the lock of a transaction that was rolled back, or a lease that has
   * expired, was in flight when a worker crashed or gave up: it is orphaned.
   *
   * <p>Handlers run next, so the statement also sets their savepoint.
   */
  public static String claim(int limit) {
    return """
        WITH claimed AS MATERIALIZED (
          SELECT r.* FROM unnest(?, ?) AS l (lane, after) CROSS JOIN LATERAL (
            %s
            FROM {inbox}.inbox_pending p
            WHERE p.endpoint = ? AND p.lane = l.lane AND p.seq > l.after AND p.type = ANY (?)
            ORDER BY p.seq
            LIMIT %d
            FOR UPDATE SKIP LOCKED
          ) r LIMIT %d
        )
        %s ORDER BY c.seq;
        %s
        """
        .formatted(PENDING_COLUMNS, limit, limit, CLAIMED_COLUMNS, SessionSql.MARK);
  }

  /**
   * Reads the first messages in these locked lanes: the endpoint, lanes of messages with an
   * ordering key twice, the sequence to start after in each, the endpoint, keys to leave out, and
   * the endpoint twice.
   *
   * <p>The result is in arrival order. A message is held up if an earlier one of its key is parked,
   * or a dead one blocks the key. One of a key of which another message is leased, be it an earlier
   * or a later one, is left out.
   */
  public static String walkLanes(int limit) {
    return """
        WITH leased AS MATERIALIZED (
          SELECT l.ordering_key FROM {inbox}.inbox_pending l WHERE l.endpoint = ? AND %s AND %s = ANY (?)
        ), page AS MATERIALIZED (
          SELECT r.* FROM unnest(?, ?) AS l (lane, after) CROSS JOIN LATERAL (
            SELECT p.lane, p.seq, p.ordering_key, p.type, p.crashes, %s AS orphaned
            FROM {inbox}.inbox_pending p
            WHERE p.endpoint = ? AND p.lane = l.lane AND p.seq > l.after
              AND p.ordering_key <> ALL (ARRAY (SELECT ordering_key FROM leased))
              AND p.ordering_key <> ALL (?)
            ORDER BY p.seq
            LIMIT %d
          ) r LIMIT %d
        ), keys AS MATERIALIZED (
          SELECT k.ordering_key, earlier.seq,
                 EXISTS (SELECT 1 FROM {inbox}.inbox_dead d
                         WHERE d.endpoint = ? AND d.blocked_key = k.ordering_key) AS blocked
          FROM (SELECT DISTINCT ordering_key FROM page) k LEFT JOIN LATERAL (
            SELECT e.seq FROM {inbox}.inbox_pending e
            WHERE e.endpoint = ? AND e.lane < 0 AND e.ordering_key = k.ordering_key
            ORDER BY e.seq LIMIT 1) earlier ON true
        )
        SELECT page.lane, page.seq, page.ordering_key, page.type, page.orphaned, page.crashes,
               keys.blocked OR coalesce(keys.seq < page.seq, false) AS held_up
        FROM page JOIN keys USING (ordering_key)
        ORDER BY page.seq
        """
        .formatted(
            PendingSql.IS_LEASED,
            PendingSql.laneOf("l.lane"),
            PendingSql.isOrphan("p", "p.xmax"),
            limit,
            limit);
  }

  /** Claims these messages of locked lanes: lanes, sequences, and the endpoint. */
  public static final String CLAIM_THESE =
      """
      WITH claimed AS MATERIALIZED (
        SELECT r.* FROM unnest(?, ?) AS t (lane, seq) CROSS JOIN LATERAL (
          %s
          FROM {inbox}.inbox_pending p WHERE p.endpoint = ? AND p.lane = t.lane AND p.seq = t.seq
          FOR UPDATE SKIP LOCKED
        ) r
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
      (p.ordering_key IS NULL OR %s = ANY (?)
       AND NOT EXISTS (SELECT 1 FROM {inbox}.inbox_pending l
                       WHERE l.endpoint = p.endpoint AND l.ordering_key = p.ordering_key
                         AND %s))
      """
          .formatted(PendingSql.laneOf("p.lane"), PendingSql.IS_LEASED);

  /** Claims these messages if they are due: sequences, and the lanes that were locked for them. */
  public static final String CLAIM_DUE =
      """
      WITH claimed AS MATERIALIZED (
        %s
        FROM %s
        WHERE m.seq = ANY (?) AND (p.lane >= 0 OR p.due_on_utc <= clock_timestamp()) AND %s
        ORDER BY p.seq
        FOR UPDATE OF p SKIP LOCKED
      )
      %s ORDER BY c.seq
      """
          .formatted(PENDING_COLUMNS, PendingSql.PENDING_BY_SEQUENCE, IS_FREE_IN, CLAIMED_COLUMNS);

  /**
   * Claims messages with a crash-risk mark to handle them, due or not: sequences, and the lanes
   * that were locked for them.
   */
  public static final String CLAIM_AT_RISK =
      """
      WITH claimed AS MATERIALIZED (
        %s
        FROM %s
        WHERE m.seq = ANY (?) AND coalesce(p.lease, 0) = 0 AND %s
        ORDER BY p.seq
        FOR UPDATE OF p SKIP LOCKED
      )
      %s ORDER BY c.seq
      """
          .formatted(PENDING_COLUMNS, PendingSql.PENDING_BY_SEQUENCE, IS_FREE_IN, CLAIMED_COLUMNS);

  /** Claims messages with a crash-risk mark, due or not, except those leased by somebody since. */
  public static String reclaim(long idleTimeoutMillis) {
    return """
        %s;
        WITH claimed AS MATERIALIZED (
          %s
          FROM %s
          WHERE m.seq = ANY (?) AND coalesce(p.lease, 0) = 0
          ORDER BY p.seq
          FOR UPDATE OF p SKIP LOCKED
        )
        %s ORDER BY c.seq
        """
        .formatted(
            SessionSql.settings(idleTimeoutMillis),
            PENDING_COLUMNS,
            PendingSql.PENDING_BY_SEQUENCE,
            CLAIMED_COLUMNS);
  }

  /**
   * The messages that this transaction has just stored and can handle itself: types, sequences, the
   * lanes that were locked, the first sequence three times, and the endpoint.
   *
   * <p>A message with an ordering key must be in a locked lane, and no earlier message of the key
   * may be pending; where many earlier ones wait in its lane, that is not examined.
   */
  public static final String CLAIM_RECEIVED =
      """
      WITH mine AS MATERIALIZED (
        %s,
               p.endpoint, %s AS home, p.ordering_key,
               p.type = ANY (?) AND (p.lane >= 0 OR p.due_on_utc <= now()) AND NOT m.redelivered AS ready
        FROM %s
        WHERE m.seq = ANY (?)
      ), claimed AS MATERIALIZED (
        SELECT * FROM (SELECT *, bool_and(ready) OVER (PARTITION BY ordering_key ORDER BY seq) AS all_ready
              FROM mine) w
        WHERE ready AND (ordering_key IS NULL OR all_ready AND home = ANY (?)
            AND (SELECT count(*) < 65 AND count(*) FILTER (WHERE e.ordering_key = w.ordering_key) = 0
                 FROM (SELECT e.ordering_key FROM {inbox}.inbox_pending e
                       WHERE e.endpoint = w.endpoint AND e.lane = w.home AND e.seq < ?
                       ORDER BY e.seq LIMIT 65) e)
            AND NOT EXISTS (SELECT 1 FROM {inbox}.inbox_pending e
                            WHERE e.endpoint = w.endpoint AND e.lane < 0
                              AND e.ordering_key = w.ordering_key AND e.seq < ?)
            AND NOT EXISTS (SELECT 1 FROM {inbox}.inbox_pending l
                            WHERE l.endpoint = w.endpoint AND l.ordering_key = w.ordering_key AND %s)
            AND NOT EXISTS (SELECT 1 FROM {inbox}.inbox_dead d
                            WHERE d.endpoint = w.endpoint AND d.blocked_key = w.ordering_key))
          AND %s
      )
      %s ORDER BY c.seq
      """
          .formatted(
              PENDING_COLUMNS,
              PendingSql.laneOf("p.lane"),
              PendingSql.PENDING_BY_SEQUENCE,
              PendingSql.IS_LEASED,
              LaneSql.NOT_PAUSED,
              CLAIMED_COLUMNS);
}
