package io.inbox4j.jdbi.internal.sql;

/** The statements that keep outgoing messages until they are sent. */
public final class OutboxSql {

  private OutboxSql() {}

  /** What a message consists of, in every table. */
  private static final String COLUMNS =
      """
      message_id, to_queue, destination, type, content_type, body, headers, correlation_id, source,
      ordering_key, expires_millis, priority""";

  /** How many are counted before it is enough to know that there are many. */
  private static final int COUNTED = 10_000;

  /**
   * A plan made while a table was nearly empty would remain a sequential scan, or a sort, after it
   * has grown.
   */
  public static final String BY_INDEX =
      SessionSql.BY_INDEX + "; SET LOCAL enable_bitmapscan = off; ";

  /**
   * Locks ordering keys, by their slots, until the end of the transaction. Whoever has them draws
   * sequences for these keys alone, so the sequences of a key have the order of the commits.
   * Advisory locks are database-wide: the table's oid confines them to this schema.
   */
  public static final String LOCK_KEYS =
      """
      SELECT pg_advisory_xact_lock('{inbox}.outbox_messages'::regclass::oid::int, slot)::text
      FROM (SELECT slot FROM unnest(?) AS s (slot) ORDER BY slot OFFSET 0) s
      """;

  /** Locks those of these slots that nobody else has, and returns them. */
  public static final String TRY_LOCK_KEYS =
      """
      SELECT slot FROM (SELECT slot FROM unnest(?) AS s (slot) ORDER BY slot OFFSET 0) s
      WHERE pg_try_advisory_xact_lock('{inbox}.outbox_messages'::regclass::oid::int, slot)
      """;

  /** Stores messages to be sent, in this order. */
  public static final String PUBLISH =
      """
      INSERT INTO {inbox}.outbox_messages (%s)
      SELECT %s
      FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WITH ORDINALITY
        AS m (%s, n)
      ORDER BY n
      """
          .formatted(COLUMNS, COLUMNS, COLUMNS);

  /** The same, but what is not due yet is kept apart. */
  public static final String SCHEDULE =
      """
      WITH published AS MATERIALIZED (
        SELECT %s, n, coalesce(send_at, statement_timestamp() + delay) AS due_on_utc
        FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::timestamptz[], ?::interval[])
          WITH ORDINALITY AS m (%s, send_at, delay, n)
      ), later AS (
        INSERT INTO {inbox}.outbox_scheduled (%s, due_on_utc)
        SELECT %s, due_on_utc FROM published WHERE due_on_utc > statement_timestamp() ORDER BY n
      )
      INSERT INTO {inbox}.outbox_messages (%s)
      SELECT %s FROM published WHERE (due_on_utc > statement_timestamp()) IS NOT TRUE ORDER BY n
      """
          .formatted(COLUMNS, COLUMNS, COLUMNS, COLUMNS, COLUMNS, COLUMNS);

  /**
   * Reads what comes after a sequence: the sequence, how many, and how many bytes. It begins a
   * transaction in which all statements have the same snapshot.
   */
  public static final String READ =
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; "
          + read(
              """
          SELECT seq, %s FROM {inbox}.outbox_messages WHERE seq > ? ORDER BY seq LIMIT ?"""
                  .formatted(COLUMNS));

  /** Reads what is in gaps: their first and last sequences, twice how many, and how many bytes. */
  public static final String READ_GAPS =
      read(
          """
          SELECT m.seq, %s FROM unnest(?, ?) AS g (first, last) CROSS JOIN LATERAL (
            SELECT * FROM {inbox}.outbox_messages m WHERE m.seq BETWEEN g.first AND g.last
            ORDER BY m.seq LIMIT ?) m
          ORDER BY m.seq LIMIT ?"""
              .formatted(COLUMNS));

  /**
   * Adds to the first row, which there always is, by what snapshot it was read and on what server
   * run. Every transaction that the snapshot does not see, and that has written a row before one
   * that it does see, has a lower id than {@code next_xid}: that is drawn while the statement runs,
   * after its snapshot was taken. No more than so many bytes are read, but one message always is;
   * {@code seen} is how many there were.
   */
  private static String read(String messages) {
    return BY_INDEX
        + """
        SELECT CASE n WHEN 1 THEN pg_current_snapshot()::text END AS snapshot,
               CASE n WHEN 1 THEN extract(epoch FROM pg_postmaster_start_time())::text END AS server,
               CASE WHEN n = 1 AND seq IS NOT NULL THEN pg_current_xact_id()::text END AS next_xid,
               m.*
        FROM (SELECT row_number() OVER w AS n, sum(octet_length(m.body)) OVER w AS bytes,
                     count(m.seq) OVER () AS seen, m.*
              FROM (VALUES (1)) one LEFT JOIN (%s) m ON true
              WINDOW w AS (ORDER BY m.seq ROWS UNBOUNDED PRECEDING)) m
        WHERE n = 1 OR bytes <= ?
        ORDER BY n
        """
            .formatted(messages);
  }

  /** One lookup for each message: other joins would read the whole index. */
  private static final String ONE_BY_ONE =
      BY_INDEX + "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; ";

  /** Removes messages: their sequences and their ids. */
  public static final String SENT =
      ONE_BY_ONE
          + """
          DELETE FROM {inbox}.outbox_messages m USING unnest(?, ?) AS s (seq, message_id)
          WHERE m.seq = s.seq AND m.message_id = s.message_id
          """;

  /** Keeps messages as dead: their sequences and ids, the reasons and the errors. */
  public static final String DEAD =
      ONE_BY_ONE
          + """
          WITH gone AS (
            DELETE FROM {inbox}.outbox_messages m
            USING unnest(?, ?, ?, ?) AS d (seq, message_id, reason, error)
            WHERE m.seq = d.seq AND m.message_id = d.message_id
            RETURNING m.*, d.reason, d.error
          )
          INSERT INTO {inbox}.outbox_dead (seq, reason, error, published_on_utc, %s)
          SELECT seq, reason, error, published_on_utc, %s FROM gone
          """
              .formatted(COLUMNS, COLUMNS);

  /**
   * Locks messages that are due, those due first first: since when they are, and how many. The next
   * look may begin at {@code next_from}, unless a transaction commits very late.
   */
  public static final String DUE =
      BY_INDEX
          + """
          SELECT id, ordering_key, (due_on_utc - interval '1 min')::text AS next_from
          FROM {inbox}.outbox_scheduled
          WHERE due_on_utc >= CAST(? AS timestamptz) AND due_on_utc <= statement_timestamp()
          ORDER BY due_on_utc, id LIMIT ? FOR UPDATE SKIP LOCKED
          """;

  /** Lets these messages be sent, in the order in which they are due. */
  public static final String RELEASE =
      """
      WITH due AS (
        DELETE FROM {inbox}.outbox_scheduled WHERE id = ANY (?) RETURNING *
      )
      INSERT INTO {inbox}.outbox_messages (%s) SELECT %s FROM due ORDER BY due_on_utc, id
      """
          .formatted(COLUMNS, COLUMNS);

  public static final String CANCEL =
      "DELETE FROM {inbox}.outbox_scheduled WHERE message_id = :messageId";

  public static final String RESCHEDULE =
      """
      UPDATE {inbox}.outbox_scheduled SET due_on_utc = CAST(:sendAt AS timestamptz)
      WHERE message_id = :messageId
      """;

  /**
   * Takes or extends the relay's lease. One that began in the future was taken before the clock was
   * set back. Nothing is written while another process has it.
   */
  public static final String LEAD =
      """
      INSERT INTO {inbox}.outbox_relay AS r (holder, renewed_on_utc, until_on_utc)
      SELECT :relay, clock_timestamp(), clock_timestamp() + CAST(:time AS interval)
      WHERE NOT EXISTS (SELECT FROM {inbox}.outbox_relay WHERE holder <> :relay
                          AND clock_timestamp() BETWEEN renewed_on_utc AND until_on_utc)
      ON CONFLICT (only_one) DO UPDATE
      SET holder = excluded.holder, renewed_on_utc = clock_timestamp(),
          until_on_utc = clock_timestamp() + CAST(:time AS interval)
      WHERE r.holder = excluded.holder
         OR clock_timestamp() NOT BETWEEN r.renewed_on_utc AND r.until_on_utc
      """;

  public static final String RESIGN = "DELETE FROM {inbox}.outbox_relay WHERE holder = :relay";

  /** Counts what there is, each up to a limit. */
  public static final String STATUS =
      """
      SELECT w.waiting,
             CASE WHEN w.waiting > 0
                  THEN greatest(0, extract(epoch FROM clock_timestamp() - w.oldest)) END AS oldest,
             (SELECT count(*) FROM (SELECT FROM {inbox}.outbox_scheduled LIMIT %1$d) s) AS scheduled,
             (SELECT count(*) FROM (SELECT FROM {inbox}.outbox_dead LIMIT %1$d) d) AS dead
      FROM (SELECT count(*) AS waiting, min(published_on_utc) AS oldest
            FROM (SELECT published_on_utc FROM {inbox}.outbox_messages ORDER BY seq LIMIT %1$d) m) w
      """
          .formatted(COUNTED);
}
