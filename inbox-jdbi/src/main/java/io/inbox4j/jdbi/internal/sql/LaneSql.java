package io.inbox4j.jdbi.internal.sql;

/** The statements that look for lanes and lock them, and move messages into and out of them. */
public final class LaneSql {

  private LaneSql() {}

  /** Whether the endpoint is not paused; evaluated once per statement. */
  static final String NOT_PAUSED =
      "(SELECT count(*) = 0 FROM {inbox}.inbox_paused WHERE endpoint = ?)";

  /**
   * Locks a lane of an endpoint until the end of the transaction, unless somebody else holds it.
   * Advisory locks are database-wide: the table's oid confines them to this schema.
   */
  private static final String LOCKS_LANE =
      "pg_try_advisory_xact_lock("
          + "hashtextextended('inbox ' || '{inbox}.inbox_pending'::regclass::oid || ' ' || ?, lane))";

  /** How many parked messages a quick look considers, and how many held ones come back at once. */
  public static final int MAX_DUE = 256;

  private static final int MAX_BEHIND = 1_000;

  /**
   * Looks for lanes that have something to claim, and locks some that nobody else has locked, those
   * with parked messages that are due, and then those that have waited the longest, first.
   * Parameters: lanes to look into, the sequence to start after in each, the endpoint, what the
   * kind of look asks for, lanes to leave out, the endpoint for the pause and for the lock, and how
   * many to lock.
   *
   * <p>The result has the locked lanes first, then everything that was found. A lane has a head if
   * something is in it, and is parked if messages of it are parked that are due.
   *
   * <p>It is a separate statement so that the next one sees everything that the lane's previous
   * holder has committed. The barrier (OFFSET 0) keeps the server from locking lanes that it then
   * finds to be empty.
   *
   * @param more what to look for besides: {@link #DUE_FIRST}, {@link #DUE_FIRST_AND_GLANCE} or
   *     {@link #DUE_IN_LANES}
   */
  public static String lockLanes(String more, long idleTimeoutMillis) {
    return """
        %s;
        WITH found AS MATERIALIZED (
          SELECT lane, bool_or(parked) AS parked, min(seq) FILTER (WHERE NOT parked) AS head,
                 count(*) FILTER (WHERE parked) AS due
          FROM (
            SELECT l.lane, false AS parked, head.seq
            FROM unnest(?, ?) AS l (lane, after) CROSS JOIN LATERAL (
              SELECT p.seq FROM {inbox}.inbox_pending p
              WHERE p.endpoint = ? AND p.lane = l.lane AND p.seq > l.after
              ORDER BY p.seq LIMIT 1) head
            UNION ALL
            %s
          ) every WHERE lane <> ALL (?) AND %s
          GROUP BY lane
        )
        (SELECT lane, parked, true AS locked, head, due
         FROM (SELECT * FROM found ORDER BY parked DESC, head OFFSET 0) oldest
         WHERE %s LIMIT ?)
        UNION ALL
        SELECT lane, parked, false, head, due FROM found
        """
        .formatted(SessionSql.settings(idleTimeoutMillis), more, NOT_PAUSED, LOCKS_LANE);
  }

  /** The endpoints of these that have something in a lane, or parked that is due. */
  public static final String DUE_AT =
      """
      SELECT e.endpoint FROM unnest(:endpoints) AS e (endpoint)
      WHERE EXISTS (SELECT FROM {inbox}.inbox_pending p WHERE p.endpoint = e.endpoint AND p.lane >= 0)
         OR EXISTS (SELECT FROM {inbox}.inbox_pending p
                    WHERE p.endpoint = e.endpoint AND p.lane < 0 AND p.due_on_utc <= now())
      """;

  /** The parked messages that were due first: the endpoint. */
  public static final String DUE_FIRST =
      """
      SELECT %s, true, due.seq
      FROM (SELECT p.lane, p.seq FROM {inbox}.inbox_pending p
            WHERE p.endpoint = ? AND p.lane < 0 AND p.due_on_utc <= statement_timestamp()
            ORDER BY p.due_on_utc, p.seq LIMIT %d) due
      """
          .formatted(PendingSql.laneOf("due.lane"), MAX_DUE);

  /**
   * The same, and the first and the last lane that have anything, whatever was passed: the endpoint
   * three times.
   */
  public static final String DUE_FIRST_AND_GLANCE =
      DUE_FIRST
          + """
      UNION ALL
      (SELECT p.lane, false, p.seq FROM {inbox}.inbox_pending p
       WHERE p.endpoint = ? AND p.lane >= 0 ORDER BY p.lane, p.seq LIMIT 1)
      UNION ALL
      (SELECT p.lane, false, p.seq FROM {inbox}.inbox_pending p
       WHERE p.endpoint = ? AND p.lane >= 0 ORDER BY p.lane DESC, p.seq DESC LIMIT 1)
      """;

  /** Whether parked messages of these lanes are due: lanes and the endpoint. */
  public static final String DUE_IN_LANES =
      """
      SELECT l.lane, true, due.seq
      FROM unnest(?) AS l (lane)
      CROSS JOIN LATERAL (VALUES ((-1 - l.lane)::smallint), ((-129 - l.lane)::smallint)) AS place (lane)
      CROSS JOIN LATERAL (
        SELECT p.seq FROM {inbox}.inbox_pending p
        WHERE p.endpoint = ? AND p.lane = place.lane AND p.lane < 0
          AND p.due_on_utc <= statement_timestamp()
        ORDER BY p.due_on_utc, p.seq LIMIT 1) due
      """;

  /** Parked messages that are due, of these lanes: lanes, twice the endpoint, and how many. */
  private static String dueAt(String place, String most) {
    return """
        SELECT d.lane, d.seq, d.locker, d.ordering_key
        FROM (SELECT p.lane, p.seq FROM unnest(?) AS l (lane) CROSS JOIN LATERAL (
                SELECT p.lane, p.seq FROM {inbox}.inbox_pending p
                WHERE p.endpoint = ? AND p.lane = (%s)::smallint AND p.lane < 0
                  AND p.due_on_utc <= statement_timestamp()
                ORDER BY p.due_on_utc, p.seq LIMIT %d) p
              ORDER BY p.seq) w
        CROSS JOIN LATERAL (
          SELECT d.lane, d.seq, d.xmax AS locker, d.ordering_key FROM {inbox}.inbox_pending d
          WHERE d.endpoint = ? AND d.lane = w.lane AND d.seq = w.seq
            AND d.due_on_utc <= clock_timestamp()
          FOR UPDATE SKIP LOCKED) d
        LIMIT %s
        """
        .formatted(place, MAX_DUE, most);
  }

  /**
   * Moves messages that are due back into these lanes: lanes, twice the endpoint, how many, lanes,
   * and four times the endpoint. Lanes of messages with an ordering key have to be locked; what is
   * held behind one that comes back comes with it. Of those that were parked for themselves only so
   * many come back, because what a transaction has changed looks as if it had been in flight if it
   * is rolled back. One that was in flight when a worker died stays recognizable: the lease 0 has
   * expired.
   */
  public static final String UNPARK =
      """
      WITH parked AS MATERIALIZED (
      %s), held AS MATERIALIZED (
      %s), behind AS MATERIALIZED (
        SELECT h.* FROM (SELECT DISTINCT ordering_key FROM parked) k CROSS JOIN LATERAL (
          SELECT h.lane, h.seq, h.xmax AS locker, h.ordering_key FROM {inbox}.inbox_pending h
          WHERE h.endpoint = ? AND h.lane < -128 AND h.ordering_key = k.ordering_key
          ORDER BY h.seq LIMIT %d
          FOR UPDATE SKIP LOCKED) h
      )
      UPDATE {inbox}.inbox_pending p
      SET lane = %s,
          lease = CASE WHEN p.lease IS NULL AND p.crashes = 0 AND due.locker <> '0'::xid
                            AND {inbox}.inbox_rolled_back(due.locker) THEN 0 ELSE p.lease END
      FROM (SELECT * FROM parked UNION SELECT * FROM held UNION SELECT * FROM behind) due
      WHERE p.endpoint = ? AND p.lane = due.lane AND p.seq = due.seq
      RETURNING p.lane, p.seq
      """
          .formatted(
              dueAt("-1 - l.lane", "?"),
              dueAt("-129 - l.lane", Integer.toString(MAX_DUE)),
              MAX_BEHIND,
              PendingSql.laneOf("p.lane"));

  /**
   * Holds messages of locked lanes until what holds them up is due, for five minutes at most,
   * because whoever takes that away may not see them yet: lanes, sequences, whether they are
   * orphaned, and the endpoint. Those that are stay so: the lease 0 has expired. What is held up no
   * longer stays where it is.
   */
  public static final String HOLD =
      """
      UPDATE {inbox}.inbox_pending p
      SET lane = %s, due_on_utc = least(h.until_on_utc, now() + interval '5 minutes'),
          lease = CASE WHEN h.orphaned AND p.crashes = 0 THEN coalesce(p.lease, 0) ELSE p.lease END
      FROM (SELECT h.orphaned, place.at, place.until_on_utc
            FROM unnest(?, ?, ?) AS h (lane, seq, orphaned) CROSS JOIN LATERAL (
              SELECT w.ctid AS at,
                     CASE WHEN EXISTS (SELECT FROM {inbox}.inbox_dead d
                                       WHERE d.endpoint = w.endpoint AND d.blocked_key = w.ordering_key)
                          THEN 'infinity'
                          ELSE (SELECT greatest(e.due_on_utc, now() + interval '100 ms')
                                FROM {inbox}.inbox_pending e
                                WHERE e.endpoint = w.endpoint AND e.lane < 0
                                  AND e.ordering_key = w.ordering_key AND e.seq < w.seq
                                ORDER BY e.seq LIMIT 1) END AS until_on_utc
              FROM {inbox}.inbox_pending w
              WHERE w.endpoint = ? AND w.lane = h.lane AND w.seq = h.seq LIMIT 1) place
            WHERE place.until_on_utc IS NOT NULL) h
      WHERE p.ctid = h.at
      """
          .formatted(PendingSql.held("p.lane"));

  /**
   * Locks those lanes of these messages that nobody else holds: sequences and endpoint. It is a
   * separate statement for the same reason as {@link #lockLanes}.
   */
  public static final String LOCK_LANES_OF =
      """
      SELECT lane FROM (SELECT DISTINCT {inbox}.inbox_lane(ordering_key, seq) AS lane
                        FROM {inbox}.inbox_messages
                        WHERE seq = ANY (?) AND ordering_key IS NOT NULL OFFSET 0) l
      WHERE %s
      """
          .formatted(LOCKS_LANE);
}
