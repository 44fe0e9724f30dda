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
  public static final String STORE = store("", "", "", "", "", "");

  /**
   * Stores events at the given positions. A position that was given out again, by a sequence that
   * was set back, is not used. They are parked, for claims may have passed their positions.
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
          coalesce(arrived_on_utc, now()),""",
          "true OR");

  private static String store(
      String arrays,
      String arrived,
      String columns,
      String overriding,
      String values,
      String parked) {
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
          SELECT seq, :endpoint, type, ordering_key,
                 CASE WHEN %s not_before > now()
                      THEN (-1 - {inbox}.inbox_lane(ordering_key, seq))::smallint
                      ELSE {inbox}.inbox_lane(ordering_key, seq) END,
                 greatest(now(), not_before)
          FROM stored
        )
        SELECT message_id, seq,
               (SELECT pg_notify('{channel}', :notification)::text
                WHERE :notification <> '' AND pg_notification_queue_usage() < 0.9)
        FROM stored
        """
        .formatted(arrays, arrived, columns, overriding, values, parked);
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

  /**
   * The lane of a pending row, wherever the row is: it waits in the lane, or is parked until it is
   * due, or is held until an earlier message of its key is.
   */
  private static String laneOf(String lane) {
    return "(greatest(%1$s, -1 - %1$s) & 127)".formatted(lane);
  }

  /** Where a row of this lane is parked. */
  static String parked(String lane) {
    return "(-1 - %s)::smallint".formatted(laneOf(lane));
  }

  /** Where a row of this lane is held. */
  private static String held(String lane) {
    return "(-129 - %s)::smallint".formatted(laneOf(lane));
  }

  /** Whether a row is held up by an earlier message of its key. */
  static final String IS_HELD = "lane < -128";

  /**
   * The pending row of the message m, wherever it is. It is found by the index, however the server
   * plans the rest: a plan that was made while the table was small may stay.
   */
  private static String placeOf(String message, String locking) {
    return """
        CROSS JOIN LATERAL (
          SELECT w.ctid AS at, w.endpoint, w.lane, w.seq FROM {inbox}.inbox_pending w
          WHERE w.endpoint = %1$s.endpoint AND w.seq = %1$s.seq
            AND w.lane = ANY (ARRAY[{inbox}.inbox_lane(%1$s.ordering_key, %1$s.seq),
                                    (-1 - {inbox}.inbox_lane(%1$s.ordering_key, %1$s.seq))::smallint,
                                    (-129 - {inbox}.inbox_lane(%1$s.ordering_key, %1$s.seq))::smallint])
          LIMIT 1 %2$s) place
        """
        .formatted(message, locking);
  }

  /** Pending rows p by their sequences alone, which are those of the messages m. */
  public static final String PENDING_BY_SEQUENCE =
      "{inbox}.inbox_messages m "
          + placeOf("m", "")
          + "JOIN {inbox}.inbox_pending p ON p.ctid = place.at";

  /** Rows of the claimed messages at these lanes and sequences, with what is known of each. */
  private static String claimedRows(String arrays, String columns) {
    return """
        (SELECT a.*, place.at FROM unnest(:lanes, :seqs%s) AS a (lane, seq%s)
         CROSS JOIN LATERAL (
           SELECT w.ctid AS at FROM {inbox}.inbox_pending w
           WHERE w.endpoint = :endpoint AND w.lane = a.lane AND w.seq = a.seq LIMIT 1) place)"""
        .formatted(arrays, columns);
  }

  /** Condition on a pending row: whether it was in flight when a worker crashed or gave up. */
  private static String isOrphan(String row, String locker) {
    return "(%1$s.crashes > 0 OR %1$s.lease IS NOT NULL OR (%2$s <> '0'::xid AND {inbox}.inbox_rolled_back(%2$s)))"
        .formatted(row, locker);
  }

  /** Condition on a pending row l with an ordering key: whether it is handled under a lease. */
  private static final String IS_LEASED =
      "l.lease > 0 AND l.ordering_key IS NOT NULL AND l.due_on_utc > now()";

  /** What a claim selects for update; skipped rows are not examined any further. */
  private static final String PENDING_COLUMNS =
      "SELECT p.seq, p.lane, p.due_on_utc, p.attempts, p.crashes, p.lease, p.xmax AS locker";

  private static final String CLAIMED_COLUMNS =
      """
      SELECT c.seq, c.lane, c.due_on_utc, c.attempts, c.crashes, %s AS orphaned,
             m.message_id, m.type, m.body, m.headers, m.correlation_id, m.source, m.redelivered,
             m.received_on_utc, now() AS claimed_on_utc, m.ordering_key, m.content_type
      FROM claimed c JOIN {inbox}.inbox_messages m USING (seq)
      """
          .formatted(isOrphan("c", "c.locker"));

  /** Whether the endpoint is not paused; evaluated once per statement. */
  private static final String NOT_PAUSED =
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
        .formatted(settings(idleTimeoutMillis), more, NOT_PAUSED, LOCKS_LANE);
  }

  /** The parked messages that were due first: the endpoint. */
  public static final String DUE_FIRST =
      """
      SELECT %s, true, due.seq
      FROM (SELECT p.lane, p.seq FROM {inbox}.inbox_pending p
            WHERE p.endpoint = ? AND p.lane < 0 AND p.due_on_utc <= statement_timestamp()
            ORDER BY p.due_on_utc, p.seq LIMIT %d) due
      """
          .formatted(laneOf("due.lane"), MAX_DUE);

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
              laneOf("p.lane"));

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
        .formatted(PENDING_COLUMNS, limit, limit, CLAIMED_COLUMNS, MARK);
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
        .formatted(IS_LEASED, laneOf("l.lane"), isOrphan("p", "p.xmax"), limit, limit);
  }

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
          .formatted(held("p.lane"));

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
          .formatted(laneOf("p.lane"), IS_LEASED);

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
          .formatted(PENDING_COLUMNS, PENDING_BY_SEQUENCE, IS_FREE_IN, CLAIMED_COLUMNS);

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
          .formatted(PENDING_COLUMNS, PENDING_BY_SEQUENCE, IS_FREE_IN, CLAIMED_COLUMNS);

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
            settings(idleTimeoutMillis), PENDING_COLUMNS, PENDING_BY_SEQUENCE, CLAIMED_COLUMNS);
  }

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
              laneOf("p.lane"),
              PENDING_BY_SEQUENCE,
              IS_LEASED,
              NOT_PAUSED,
              CLAIMED_COLUMNS);

  /** Leases claimed messages, and marks the orphaned ones among them as a crash risk. */
  public static final String LEASE =
      """
      WITH next AS MATERIALIZED (SELECT nextval('{inbox}.inbox_lease') AS token)
      UPDATE {inbox}.inbox_pending p
      SET lane = %s, lease = next.token, crashes = crashes + l.orphaned::int,
          due_on_utc = clock_timestamp() + :time
      FROM next, %s l
      WHERE p.ctid = l.at
      RETURNING p.seq, p.lease
      """
          .formatted(parked("p.lane"), claimedRows(", :orphans", ", orphaned"));

  /** Which of these leases are still held. */
  private static String stillLeased(String locking) {
    return """
        SELECT place.at, p.endpoint, p.lane, p.seq, p.lease
        FROM unnest(:seqs, :tokens) AS l (seq, token)
        JOIN {inbox}.inbox_messages m ON m.seq = l.seq
        %s JOIN {inbox}.inbox_pending p ON p.ctid = place.at AND p.lease = l.token
        """
        .formatted(placeOf("m", locking));
  }

  public static final String STILL_LEASED = stillLeased("");

  public static final String CLAIM_LEASED = stillLeased("FOR UPDATE SKIP LOCKED");

  public static final String RENEW =
      """
      WITH mine AS MATERIALIZED (
      %s)
      UPDATE {inbox}.inbox_pending p SET lane = %s, due_on_utc = clock_timestamp() + :time
      FROM mine WHERE p.ctid = mine.at
      RETURNING p.seq, p.lease
      """
          .formatted(CLAIM_LEASED, parked("p.lane"));

  /** Waits for whoever has locked one of them. */
  public static final String GIVE_BACK =
      """
      UPDATE {inbox}.inbox_pending p
      SET lane = %s, lease = NULL, crashes = greatest(crashes - 1, 0), due_on_utc = clock_timestamp()
      FROM (%s) mine
      WHERE p.endpoint = mine.endpoint AND p.lane = mine.lane AND p.seq = mine.seq
        AND p.lease = mine.lease
      """
          .formatted(parked("p.lane"), STILL_LEASED);

  public static final String MARK_CRASH_RISK =
      """
      UPDATE {inbox}.inbox_pending p
      SET lane = %s, crashes = crashes + 1, lease = NULL, due_on_utc = clock_timestamp() + :holdBack
      FROM %s r WHERE p.ctid = r.at
      """
          .formatted(parked("p.lane"), claimedRows("", ""));

  /** The number of the attempt that a crash has ended is returned; 0 if it did not count as one. */
  public static final String MARK_CRASH_RISK_ALONE =
      """
      WITH mine AS MATERIALIZED (
        SELECT p.endpoint, p.lane, p.seq FROM %s
        WHERE m.seq = :seq AND (p.lane >= 0 OR p.due_on_utc <= clock_timestamp())
        FOR UPDATE OF p SKIP LOCKED
      )
      UPDATE {inbox}.inbox_pending p
      SET lane = %s, crashes = crashes + 1, lease = NULL, due_on_utc = clock_timestamp() + :holdBack
      FROM mine WHERE p.endpoint = mine.endpoint AND p.lane = mine.lane AND p.seq = mine.seq
      RETURNING CASE WHEN crashes > 2 THEN attempts + crashes - 2 ELSE 0 END
      """
          .formatted(PENDING_BY_SEQUENCE, parked("p.lane"));

  public static final String CLEAR_CRASH_RISK =
      """
      UPDATE {inbox}.inbox_pending p
      SET crashes = crashes - 1,
          due_on_utc = CASE WHEN lease IS NULL THEN clock_timestamp() ELSE due_on_utc END
      FROM (SELECT place.* FROM {inbox}.inbox_messages m %s WHERE m.seq = ANY (:seqs)) mine
      WHERE p.endpoint = mine.endpoint AND p.lane = mine.lane AND p.seq = mine.seq AND crashes > 0
      """
          .formatted(placeOf("m", ""));

  /**
   * Clears the crash-risk marks of messages that could not be handled because somebody else held
   * their key. The lease 0, which has expired already, leaves them orphaned, as they were.
   */
  public static final String PUT_BACK =
      """
      WITH mine AS MATERIALIZED (
        SELECT place.at
        FROM unnest(:seqs, :crashes) AS n (seq, crashes)
        JOIN {inbox}.inbox_messages m ON m.seq = n.seq
        %s JOIN {inbox}.inbox_pending p ON p.ctid = place.at AND p.crashes = n.crashes
        WHERE p.lease IS NULL
      )
      UPDATE {inbox}.inbox_pending p
      SET crashes = p.crashes - 1, lease = 0, due_on_utc = clock_timestamp()
      FROM mine WHERE p.ctid = mine.at
      """
          .formatted(placeOf("m", "FOR UPDATE SKIP LOCKED"));

  /** The number of a pending message's current attempt; crashes count from the second on. */
  private static final String ATTEMPT = "attempts + greatest(crashes - 1, 1)";

  /** Fails unless it finds all of them: the commit is sent before the result is read. */
  public static final String PROCESSED =
      """
      WITH done AS (
        DELETE FROM {inbox}.inbox_pending p WHERE p.ctid = ANY (ARRAY (SELECT at FROM {rows} r))
        RETURNING p.seq, {attempt} AS attempts
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
          .replace("{attempt}", ATTEMPT)
          .replace("{rows}", claimedRows("", ""));

  public static final String PROCESSED_AND_COMMIT = PROCESSED + "; COMMIT";

  /** Schedules the next attempts, and records the failed ones. */
  public static final String RETRY =
      """
      WITH failed AS (
        UPDATE {inbox}.inbox_pending p
        SET lane = %s, attempts = %s, crashes = r.alone::int, lease = NULL,
            due_on_utc = clock_timestamp() + r.delay, last_error = r.error
        FROM %s r WHERE p.ctid = r.at
        RETURNING p.seq, p.attempts AS attempt, %s
      ), %s
      SELECT count(*) FROM failed
      """
          .formatted(
              parked("p.lane"),
              ATTEMPT,
              claimedRows(
                  ", :delays::interval[], :errors, :alone, " + HistorySql.ARRAYS,
                  ", delay, error, alone, " + HistorySql.COLUMNS),
              HistorySql.COLUMNS,
              HistorySql.RECORD);

  public static final String POSTPONED =
      """
      UPDATE {inbox}.inbox_pending p
      SET lane = %s, crashes = 0, lease = NULL,
          due_on_utc = coalesce(r.due_at, clock_timestamp() + r.delay)
      FROM %s r WHERE p.ctid = r.at
      """
          .formatted(
              parked("p.lane"),
              claimedRows(", :times::timestamptz[], :delays::interval[]", ", due_at, delay"));

  /** Gives messages up, and records their last attempts. */
  public static final String DEAD =
      """
      WITH failed AS (
        DELETE FROM {inbox}.inbox_pending p
        USING %s d WHERE p.ctid = d.at
        RETURNING p.seq, %s AS attempt, d.error, p.endpoint,
                  CASE WHEN d.holds THEN p.ordering_key END AS blocked_key, %s
      ), gone AS (
        INSERT INTO {inbox}.inbox_dead (seq, attempts, error, dead_on_utc, endpoint, blocked_key)
        SELECT seq, attempt, error, statement_timestamp(), endpoint, blocked_key FROM failed
      ), %s
      SELECT count(*) FROM failed
      """
          .formatted(
              claimedRows(
                  ", :errors, :holds, " + HistorySql.ARRAYS,
                  ", error, holds, " + HistorySql.COLUMNS),
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
