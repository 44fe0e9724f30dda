package io.inbox4j.jdbi;

/** Every statement of the janitor, to be read and pasted into psql. */
final class RetentionSql {

  private RetentionSql() {}

  /** One janitor at a time, for these tables. */
  private static final String KEY = ":lock + 'inbox_retention'::regclass::oid::bigint";

  static final String TRY_LOCK = "SELECT pg_try_advisory_lock(%s)".formatted(KEY);
  static final String UNLOCK = "SELECT pg_advisory_unlock(%s)".formatted(KEY);

  /**
   * Bounds what a step can do to others, and walks along indexes: a plan made for few rows would
   * read the whole table when it has grown.
   */
  static final String BE_MODEST =
      """
      SET LOCAL lock_timeout = '1s';
      SET LOCAL statement_timeout = '30s';
      SET LOCAL idle_in_transaction_session_timeout = '30s';
      SET LOCAL enable_seqscan = off;
      SET LOCAL enable_hashjoin = off;
      SET LOCAL enable_mergejoin = off
      """;

  /**
   * Those who come later wait behind whoever waits for a table: it is let go soon, and tried again.
   */
  static final String DO_NOT_WAIT =
      "SET LOCAL lock_timeout = '100ms'; SET LOCAL statement_timeout = '2s'";

  /** Where a walk goes on; a walk in laps begins anew once a day, for what has become old since. */
  static final String GO_ON =
      """
      INSERT INTO inbox_retention AS r (task, source, position) VALUES (:task, :source, 0)
      ON CONFLICT (task, source) DO UPDATE
      SET position     = CASE WHEN :laps AND r.began_on_utc < now() - interval '1 day'
                              THEN 0 ELSE r.position END,
          began_on_utc = CASE WHEN :laps AND r.began_on_utc < now() - interval '1 day'
                              THEN now() ELSE r.began_on_utc END
      RETURNING position
      """;

  static final String REMEMBER =
      "UPDATE inbox_retention SET position = :position WHERE task = :task AND source = :source";

  static final String FORGET_POSITION = "DELETE FROM inbox_retention WHERE source = :source";

  /** The next processed messages of a table. */
  static String processedIn(String table) {
    return """
        SELECT seq AS position, seq, attempts, processed_on_utc, processed_on_utc AS done_on_utc
        FROM %s WHERE seq > :position ORDER BY seq LIMIT :limit
        """
        .formatted(table);
  }

  /** The next messages that were dead and discarded. */
  static final String DISCARDED =
      """
      SELECT id AS position, seq, NULL::smallint AS attempts, NULL::timestamptz AS processed_on_utc,
             done_on_utc
      FROM inbox_interventions
      WHERE id > :position AND origin = 'dead' AND action = 'discard' ORDER BY id LIMIT :limit
      """;

  /** No processed message that came later can be old, because it came too late for that. */
  static final String CAME_TOO_LATE =
      """
      coalesce((SELECT m.received_on_utc >= now() - :age FROM inbox_messages m
                WHERE m.seq = (SELECT max(seq) FROM page)), false)
      """;

  /** What was done later cannot be old. */
  static final String DONE_TOO_LATE = "coalesce(max(done_on_utc) >= now() - :age, false)";

  /**
   * The old ones of a page. That none is pending or dead is certain, and looked at all the same.
   */
  private static final String OLD =
      """
      WITH page AS MATERIALIZED (
        %s
      ), old AS MATERIALIZED (
        SELECT page.* FROM page
        WHERE done_on_utc < now() - :age
          AND NOT EXISTS (SELECT 1 FROM inbox_pending w WHERE w.seq = page.seq)
          AND NOT EXISTS (SELECT 1 FROM inbox_dead d WHERE d.seq = page.seq)
      )
      """;

  private static final String ARCHIVED =
      """
      , archived AS (
        INSERT INTO inbox_archive (seq, endpoint, message_id, type, content_type, body, headers,
                                   correlation_id, source, ordering_key, received_on_utc,
                                   processed_on_utc, attempts)
        SELECT seq, endpoint, message_id, type, content_type, body, headers,
               correlation_id, source, ordering_key, received_on_utc, processed_on_utc, attempts
        FROM moved WHERE NOT emptied AND :archive ORDER BY seq
        RETURNING 1
      )
      """;

  private static final String DONE =
      """
      SELECT count(*) AS seen, coalesce(max(position), 0) AS last,
             (SELECT count(*) FROM done) AS done, (SELECT count(*) FROM archived) AS archived,
             %s AS young
      FROM page
      """;

  /** Removes the old ones of a page with their identities. */
  static String remove(String page, String unlist, String young) {
    return OLD.formatted(page)
        + """
        , moved AS (
          DELETE FROM inbox_messages m USING old WHERE m.seq = old.seq
          RETURNING m.*, old.attempts, old.processed_on_utc
        ), done AS (SELECT 1 FROM moved)
        """
        + ARCHIVED
        + unlist
        + DONE.formatted(young);
  }

  /** Removes the rows that say that they are processed. */
  static String unlistFrom(String table) {
    return """
        , unlisted AS (
          DELETE FROM %s p USING old
          WHERE p.seq = old.seq AND p.processed_on_utc = old.processed_on_utc
        )
        """
        .formatted(table);
  }

  /** Takes the bodies of the old ones of a page, and leaves their identities. */
  static String empty(String page, String young) {
    return OLD.formatted(page)
        + """
        , moved AS MATERIALIZED (
          SELECT m.*, old.attempts, old.processed_on_utc
          FROM old JOIN inbox_messages m ON m.seq = old.seq WHERE NOT m.emptied
        ), done AS (
          UPDATE inbox_messages m SET body = '', headers = NULL, emptied = true
          FROM moved WHERE m.seq = moved.seq
          RETURNING 1
        )
        """
        + ARCHIVED
        + DONE.formatted(young);
  }

  /** The next things that people did. */
  static final String HISTORY =
      """
      SELECT id AS position, origin, seq, done_on_utc
      FROM inbox_interventions WHERE id > :position ORDER BY id LIMIT :limit
      """;

  /** Forgets who did what, but for what was done to messages that are still there. */
  static String forget(String page, String young) {
    return """
        WITH page AS MATERIALIZED (
          %s
        ), done AS (
          DELETE FROM inbox_interventions i USING page
          WHERE i.id = page.position AND page.done_on_utc < now() - :age
            AND (page.origin <> 'dead'
                 OR NOT EXISTS (SELECT 1 FROM inbox_messages m WHERE m.seq = page.seq))
          RETURNING 1
        ), archived AS (SELECT 1 WHERE :archive)
        """
            .formatted(page)
        + DONE.formatted(young);
  }

  /** The oldest of the archive; those that were archived together go together. */
  static final String EXPIRE =
      """
      DELETE FROM inbox_archive WHERE archived_on_utc <= (
        SELECT max(archived_on_utc) FROM (
          SELECT archived_on_utc FROM inbox_archive
          WHERE archived_on_utc < now() - :age ORDER BY archived_on_utc LIMIT :limit) oldest)
      """;

  /** Whether this role may create and drop partitions. */
  static final String IS_OWNER =
      """
      SELECT pg_has_role(c.relowner, 'USAGE') AND has_schema_privilege(c.relnamespace, 'CREATE')
      FROM pg_class c WHERE c.oid = :table::regclass
      """;

  private static final String PARTITIONS =
      """
      WITH partition AS (
        SELECT c.oid, c.relname AS name,
               substring(pg_get_expr(c.relpartbound, c.oid) FROM ' TO [(]''([^'']*)''[)]')::timestamptz
                 AS ends_on_utc
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = :table::regclass
      )
      """;

  /** Partitions that hold nothing younger. */
  static final String OLD_PARTITIONS =
      PARTITIONS
          + """
          SELECT name, oid::regclass::text AS table FROM partition
          WHERE ends_on_utc <= now() - :age ORDER BY ends_on_utc
          """;

  /** The statements that create the partitions of the coming days. */
  static final String MISSING_PARTITIONS =
      PARTITIONS
          + """
          , today AS (
            SELECT date_trunc('day', now() AT TIME ZONE 'UTC') AS today,
                   (SELECT max(ends_on_utc) FROM partition) AT TIME ZONE 'UTC' AS covered
          ), missing AS (
            SELECT day FROM today, generate_series(today, today + interval '7 days', interval '1 day') day
            WHERE covered IS NULL OR day >= covered
          )
          SELECT format('CREATE TABLE %I.%I PARTITION OF %s FOR VALUES FROM (%L) TO (%L)',
                        n.nspname, c.relname || to_char(day, '_YYYYMMDD'), c.oid::regclass,
                        day AT TIME ZONE 'UTC', (day + interval '1 day') AT TIME ZONE 'UTC')
          FROM missing, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE c.oid = :table::regclass
          ORDER BY day
          """;

  static final String SIZE = "SELECT pg_relation_size(:table::regclass)";

  static String drop(String table) {
    return "DROP TABLE " + table;
  }
}
