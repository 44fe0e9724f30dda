package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.jdbi.internal.sql.HistorySql;
import io.inbox4j.jdbi.internal.sql.PendingSql;

/** Every statement of the retention job, readable enough to paste into psql. */
final class RetentionSql {

  private RetentionSql() {}

  private static final String LEASE = "interval '2 minutes'";

  /** Later than any partition created ahead of time: written while the clock was ahead. */
  private static final String AHEAD = "now() + interval '8 days'";

  /** A lease that ends later than any lease can was taken before the clock was set back. */
  private static final String IS_OVER = "until_on_utc NOT BETWEEN now() AND now() + " + LEASE;

  static final String IS_FREE =
      "SELECT NOT EXISTS (SELECT 1 FROM {inbox}.inbox_retention_lease WHERE NOT (%s))"
          .formatted(IS_OVER);

  static final String TAKE =
      """
      INSERT INTO {inbox}.inbox_retention_lease AS j (holder, until_on_utc) VALUES (:holder, now() + %s)
      ON CONFLICT (only_one) DO UPDATE
      SET holder = excluded.holder, until_on_utc = excluded.until_on_utc
      WHERE j.%s
      """
          .formatted(LEASE, IS_OVER);

  static final String RENEW =
      "UPDATE {inbox}.inbox_retention_lease SET until_on_utc = now() + %s WHERE holder = :holder"
          .formatted(LEASE);

  static final String RELEASE = "DELETE FROM {inbox}.inbox_retention_lease WHERE holder = :holder";

  /**
   * Declares what a process wants; a declaration that several processes share is renewed once a
   * minute.
   */
  static final String DECLARE =
      """
      INSERT INTO {inbox}.inbox_retention_policy AS p (endpoint, keep, dedup_window, archive, history)
      SELECT endpoint, CAST(:keep AS interval), CAST(:dedupWindow AS interval),
             CAST(:archive AS interval), CAST(:history AS interval)
      FROM unnest(:endpoints) AS e (endpoint) ORDER BY endpoint
      ON CONFLICT (endpoint, coalesce(keep, interval '-1 s'), coalesce(dedup_window, interval '-1 s'),
                   coalesce(archive, interval '-1 s'), coalesce(history, interval '-1 s'))
      DO UPDATE SET renewed_on_utc = now(), missed_on_utc = NULL
      WHERE p.missed_on_utc IS NOT NULL
         OR p.renewed_on_utc NOT BETWEEN now() - interval '1 minute' AND now()
      """;

  static final String DECLARED =
      """
      SELECT endpoint, extract(epoch FROM keep)::bigint AS keep,
             extract(epoch FROM dedup_window)::bigint AS dedup_window,
             extract(epoch FROM archive)::bigint AS archive,
             extract(epoch FROM history)::bigint AS history
      FROM {inbox}.inbox_retention_policy
      """;

  static final String NOTE_MISSED =
      """
      UPDATE {inbox}.inbox_retention_policy SET missed_on_utc = now()
      WHERE CASE WHEN missed_on_utc IS NOT NULL THEN missed_on_utc > now()
                 ELSE renewed_on_utc NOT BETWEEN now() - interval '1 day'
                                             AND now() + interval '1 minute' END
      """;

  static final String FORGET_MISSED =
      """
      DELETE FROM {inbox}.inbox_retention_policy WHERE missed_on_utc <= now() - interval '1 hour'
      RETURNING endpoint
      """;

  /**
   * Bounds the impact of a step on others, and forces index scans: a plan made for few rows would
   * read the whole table once it has grown.
   */
  static final String BE_MODEST =
      """
      SET LOCAL lock_timeout = '1s';
      SET LOCAL statement_timeout = '30s';
      SET LOCAL idle_in_transaction_session_timeout = '30s';
      SET LOCAL enable_seqscan = off;
      SET LOCAL enable_hashjoin = off;
      SET LOCAL enable_mergejoin = off;
      SET LOCAL jit = off
      """;

  /**
   * Lock requests queue up behind one that waits for a table, so it gives up early and is retried.
   */
  static final String DO_NOT_WAIT =
      "SET LOCAL lock_timeout = '100ms'; SET LOCAL statement_timeout = '2s'";

  /**
   * The position at which a scan continues. A scan with a larger scope than before starts over; one
   * that runs in laps does so once a day, for rows that have become old since, and when the clock
   * was set back.
   */
  static final String GO_ON =
      """
      INSERT INTO {inbox}.inbox_retention_progress AS r (task, source, position, scope)
      VALUES (:task, :source, 0, :scope)
      ON CONFLICT (task, source) DO UPDATE
      SET (position, seen, kept, began_on_utc, finished, scope) =
        (SELECT CASE WHEN anew THEN 0 ELSE r.position END, CASE WHEN anew THEN 0 ELSE r.seen END,
                CASE WHEN anew THEN 0 ELSE r.kept END,
                CASE WHEN anew THEN now() ELSE r.began_on_utc END, false, excluded.scope
         FROM (SELECT NOT excluded.scope <@ r.scope
                      OR :laps AND r.began_on_utc NOT BETWEEN now() - interval '1 day' AND now()
                      AS anew) it)
      RETURNING position
      """;

  /** Saves the progress of a scan; the totals are over all its pages. */
  static final String REMEMBER =
      """
      UPDATE {inbox}.inbox_retention_progress
      SET position = greatest(position, :position), seen = seen + :seen, kept = kept + :kept,
          finished = :finished
      WHERE task = :task AND source = :source
      RETURNING kept
      """;

  /** The completed scans and what they looked for. */
  static final String FINISHED =
      "SELECT source, scope, kept FROM {inbox}.inbox_retention_progress WHERE task = :task AND finished";

  static final String FORGET_POSITION =
      "DELETE FROM {inbox}.inbox_retention_progress WHERE source = :source";

  /** The next page of processed messages of a table. */
  static String processedIn(String table) {
    return """
        SELECT seq AS position, seq, attempts, processed_on_utc, processed_on_utc AS done_on_utc
        FROM %s WHERE seq > :position ORDER BY seq LIMIT :limit
        """
        .formatted(table);
  }

  /**
   * A later time was written while the clock was ahead and says nothing about the rows after it.
   */
  private static final String SANE = "now() + interval '1 minute'";

  /** What was done while the clock was ahead counts as done just before the next intervention. */
  private static final String DONE_ON_UTC =
      """
      CASE WHEN i.done_on_utc <= %1$s THEN i.done_on_utc
           ELSE coalesce((SELECT l.done_on_utc FROM {inbox}.inbox_interventions l
                          WHERE l.id > i.id AND l.done_on_utc <= %1$s ORDER BY l.id LIMIT 1),
                         i.done_on_utc) END AS done_on_utc
      """
          .formatted(SANE);

  /** The next page of discarded messages. */
  static final String DISCARDED =
      """
      SELECT id AS position, seq, NULL::smallint AS attempts, NULL::timestamptz AS processed_on_utc,
             %s
      FROM {inbox}.inbox_interventions i
      WHERE id > :position AND origin IN ('pending', 'dead') AND action = 'discard' ORDER BY id LIMIT :limit
      """
          .formatted(DONE_ON_UTC);

  /** No processed message that arrived later can be old, because it arrived too late for that. */
  static final String CAME_TOO_LATE =
      """
      coalesce((SELECT m.received_on_utc BETWEEN now() - :shortest AND %s FROM {inbox}.inbox_messages m
                WHERE m.seq = (SELECT max(seq) FROM page)), false)
      """
          .formatted(SANE);

  /** What was done later cannot be old. */
  static final String DONE_TOO_LATE =
      "coalesce(bool_or(done_on_utc BETWEEN now() - :shortest AND %s), false)".formatted(SANE);

  /** A partition that is dropped as a whole is scanned completely. */
  static final String NEVER_TOO_LATE = "false";

  /** The age from which the messages of each endpoint are old. */
  private static final String WINDOWS =
      """
      WITH windows AS MATERIALIZED (
        SELECT * FROM unnest(:endpoints, :ages::interval[], :archives) AS w (endpoint, age, archive)
      ), page AS MATERIALIZED (
        %s
      )
      """;

  /** The rows of a page with the endpoints of their messages, where those still exist. */
  private static final String PRESENT =
      WINDOWS
          + """
          , present AS MATERIALIZED (
            SELECT page.*, m.endpoint FROM page LEFT JOIN {inbox}.inbox_messages m ON m.seq = page.seq
          )
          """;

  /** The old rows of a page. None can be pending or dead, which is checked nevertheless. */
  private static final String OLD =
      PRESENT
          + """
          , old AS MATERIALIZED (
            SELECT present.* FROM present
            WHERE done_on_utc < now() - (SELECT age FROM windows w WHERE w.endpoint = present.endpoint)
              AND NOT EXISTS (SELECT 1 FROM %s WHERE m.seq = present.seq)
              AND NOT EXISTS (SELECT 1 FROM {inbox}.inbox_dead d WHERE d.seq = present.seq)
          )
          """
              .formatted(PendingSql.PENDING_BY_SEQUENCE);

  private static final String ARCHIVED =
      """
      , archived AS (
        INSERT INTO {inbox}.inbox_archive (seq, endpoint, message_id, type, content_type, body, headers,
                                   correlation_id, source, ordering_key, received_on_utc,
                                   processed_on_utc, attempts)
        SELECT seq, endpoint, message_id, type, content_type, body, headers,
               correlation_id, source, ordering_key, received_on_utc, processed_on_utc, attempts
        FROM moved
        WHERE NOT emptied AND (SELECT archive FROM windows w WHERE w.endpoint = moved.endpoint)
        ORDER BY seq
        RETURNING 1
      )
      """;

  private static final String STAYING =
      "(SELECT count(*) FROM present WHERE endpoint IS NOT NULL) - (SELECT count(*) FROM old)";

  private static final String DONE =
      """
      SELECT count(*) AS seen, coalesce(max(position), 0) AS last,
             (SELECT count(*) FROM done) AS done, %s AS archived, %s AS kept, %s AS young
      FROM page
      """;

  private static final String COUNT_ARCHIVED = "(SELECT count(*) FROM archived)";

  /** Deletes the old messages of a page with their identities. */
  static String remove(String page, String unlist, String young) {
    return OLD.formatted(page)
        + """
        , moved AS (
          DELETE FROM {inbox}.inbox_messages m USING old WHERE m.seq = old.seq
          RETURNING m.*, old.attempts, old.processed_on_utc
        ), done AS (SELECT 1 FROM moved)
        """
        + ARCHIVED
        + HistorySql.DROP_HISTORY
        + unlist
        + DONE.formatted(COUNT_ARCHIVED, STAYING, young);
  }

  /**
   * Deletes the processed rows of old messages, and those of messages that no longer exist. Rows
   * written while the clock was ahead would not get old: they count as processed now.
   */
  static String unlistFrom(String table) {
    return """
        , gone AS (
          SELECT seq, processed_on_utc FROM old
          UNION ALL SELECT seq, processed_on_utc FROM present WHERE endpoint IS NULL
        ), unlisted AS (
          DELETE FROM %1$s p USING gone
          WHERE p.seq = gone.seq AND p.processed_on_utc = gone.processed_on_utc
        ), ahead AS (
          DELETE FROM %1$s p USING present
          WHERE p.seq = present.seq AND p.processed_on_utc = present.processed_on_utc
            AND present.endpoint IS NOT NULL AND present.processed_on_utc > %2$s
          RETURNING p.seq, p.attempts
        ), back AS (
          INSERT INTO {inbox}.inbox_processed (seq, attempts, processed_on_utc)
          SELECT seq, attempts, now() FROM ahead
        )
        """
        .formatted(table, AHEAD);
  }

  /** Moves all rows of a partition that lies in the future, likewise. */
  static String bringBackFrom(String table) {
    return """
        WITH ahead AS (
          DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s LIMIT :limit))
          RETURNING seq, attempts
        ), back AS (
          INSERT INTO {inbox}.inbox_processed (seq, attempts, processed_on_utc)
          SELECT seq, attempts, now() FROM ahead
        )
        SELECT count(*) FROM ahead
        """
        .formatted(table);
  }

  /** Clears the bodies of the old messages of a page and keeps their identities. */
  static String empty(String page, String young) {
    return OLD.formatted(page)
        + """
        , moved AS MATERIALIZED (
          SELECT m.*, old.attempts, old.processed_on_utc
          FROM old JOIN {inbox}.inbox_messages m ON m.seq = old.seq WHERE NOT m.emptied
        ), done AS (
          UPDATE {inbox}.inbox_messages m SET body = '', headers = NULL, emptied = true
          FROM moved WHERE m.seq = moved.seq
          RETURNING 1
        )
        """
        + ARCHIVED
        + HistorySql.DROP_HISTORY
        + DONE.formatted(COUNT_ARCHIVED, STAYING, young);
  }

  /** Deletes the rows of messages that no longer exist, where other endpoints' rows stay. */
  static String unlist(String page, String table) {
    return PRESENT.formatted(page)
        + """
        , done AS (
          DELETE FROM %s p USING present
          WHERE p.seq = present.seq AND p.processed_on_utc = present.processed_on_utc
            AND present.endpoint IS NULL
          RETURNING 1
        )
        """
            .formatted(table)
        + DONE.formatted("0", "0", NEVER_TOO_LATE);
  }

  /** The next page of the history of interventions. */
  static final String HISTORY =
      """
      SELECT id AS position, origin, seq, endpoint, %s
      FROM {inbox}.inbox_interventions i WHERE id > :position ORDER BY id LIMIT :limit
      """
          .formatted(DONE_ON_UTC);

  /** Deletes old interventions, except those on messages that still exist. */
  static String forget(String page, String young) {
    return WINDOWS.formatted(page)
        + """
        , done AS (
          DELETE FROM {inbox}.inbox_interventions i USING page
          WHERE i.id = page.position
            AND page.done_on_utc < now() - (SELECT age FROM windows w WHERE w.endpoint = page.endpoint)
            AND (page.origin = 'quarantine'
                 OR NOT EXISTS (SELECT 1 FROM {inbox}.inbox_messages m WHERE m.seq = page.seq))
          RETURNING 1
        )
        """
        + DONE.formatted("0", "0", young);
  }

  /** The oldest rows of an endpoint's archive; those that were archived together go together. */
  static final String EXPIRE =
      """
      DELETE FROM {inbox}.inbox_archive WHERE endpoint = :endpoint AND archived_on_utc <= (
        SELECT max(archived_on_utc) FROM (
          SELECT archived_on_utc FROM {inbox}.inbox_archive
          WHERE endpoint = :endpoint AND archived_on_utc < now() - :age
          ORDER BY archived_on_utc LIMIT :limit) oldest)
      """;

  /** Rows archived while the clock was ahead count as archived now. */
  static final String BRING_BACK_ARCHIVED =
      """
      WITH ahead AS (
        DELETE FROM {inbox}.inbox_archive WHERE endpoint = :endpoint AND archived_on_utc >= (
          SELECT min(archived_on_utc) FROM (
            SELECT archived_on_utc FROM {inbox}.inbox_archive
            WHERE endpoint = :endpoint AND archived_on_utc > %s
            ORDER BY archived_on_utc DESC LIMIT :limit) latest)
        RETURNING *
      ), back AS (
        INSERT INTO {inbox}.inbox_archive (seq, endpoint, message_id, type, content_type, body, headers,
                                   correlation_id, source, ordering_key, received_on_utc,
                                   processed_on_utc, attempts)
        SELECT seq, endpoint, message_id, type, content_type, body, headers,
               correlation_id, source, ordering_key, received_on_utc, processed_on_utc, attempts
        FROM ahead
      )
      SELECT count(*) FROM ahead
      """
          .formatted(AHEAD);

  /**
   * The endpoints present in a partition of the archive, found by skipping from one to the next.
   */
  static String endpointsIn(String table) {
    return """
        WITH RECURSIVE present (endpoint) AS (
          (SELECT endpoint FROM %1$s ORDER BY endpoint LIMIT 1)
          UNION ALL
          SELECT (SELECT a.endpoint FROM %1$s a WHERE a.endpoint > p.endpoint
                  ORDER BY a.endpoint LIMIT 1)
          FROM present p WHERE p.endpoint IS NOT NULL
        )
        SELECT endpoint FROM present WHERE endpoint IS NOT NULL
        """
        .formatted(table);
  }

  /** Whether this role may clear bodies, and whether it may delete the history of interventions. */
  static final String MAY_EMPTY =
      """
      SELECT bool_and(has_column_privilege('{inbox}.inbox_messages', name, 'UPDATE'))
      FROM unnest(ARRAY['body', 'headers', 'emptied']) AS c (name)
      """;

  static final String MAY_FORGET =
      "SELECT has_table_privilege('{inbox}.inbox_interventions', 'DELETE')";

  /** Whether this role may create and drop partitions. */
  static final String IS_OWNER =
      """
      SELECT pg_has_role(c.relowner, 'USAGE') AND has_schema_privilege(c.relnamespace, 'CREATE')
      FROM pg_class c WHERE c.oid = '{inbox}.inbox_processed'::regclass
      """;

  private static final String PARTITIONS =
      """
      WITH bound AS (
        SELECT c.relname AS name, format('%I.%I', n.nspname, c.relname) AS qualified,
               pg_get_expr(c.relpartbound, c.oid) AS bound
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE i.inhparent = ('{inbox}.' || :table)::regclass
      ), partition AS (
        SELECT name, qualified,
               CASE WHEN bound LIKE '%FROM (MINVALUE)%' THEN '-infinity'
                    ELSE substring(bound FROM ' FROM [(]''([^'']*)''[)]')::timestamptz END
                 AS begins_on_utc,
               CASE WHEN bound LIKE '%TO (MAXVALUE)%' THEN 'infinity'
                    ELSE substring(bound FROM ' TO [(]''([^'']*)''[)]')::timestamptz END
                 AS ends_on_utc
        FROM bound
      )
      """;

  /** Partitions that hold nothing younger. */
  static final String OLD_PARTITIONS =
      PARTITIONS
          + """
          SELECT name, qualified, extract(epoch FROM now() - ends_on_utc)::bigint AS age
          FROM partition
          WHERE ends_on_utc <= now() - :age ORDER BY ends_on_utc
          """;

  /** Partitions that were created while the clock was ahead. */
  static final String PARTITIONS_AHEAD =
      PARTITIONS
          + "SELECT qualified FROM partition WHERE begins_on_utc >= "
          + AHEAD
          + " AND isfinite(begins_on_utc) ORDER BY begins_on_utc";

  /** The days from today on of which no partition covers any part. */
  private static final String MISSING_DAYS =
      PARTITIONS
          + """
          , today AS (SELECT date_trunc('day', now() AT TIME ZONE 'UTC') AS today)
          , missing AS (
            SELECT today, day
            FROM today, generate_series(today, today + interval '7 days', interval '1 day') day
            WHERE NOT EXISTS (
              SELECT 1 FROM partition
              WHERE begins_on_utc < (day + interval '1 day') AT TIME ZONE 'UTC'
                AND ends_on_utc > day AT TIME ZONE 'UTC')
          )
          """;

  private static final String CREATE =
      """
      SELECT format('CREATE TABLE %1$I.%2$I PARTITION OF %1$I.%3$I FOR VALUES FROM (%4$L) TO (%5$L)',
                    n.nspname, c.relname || to_char(day, '_YYYYMMDD'), c.relname,
                    day AT TIME ZONE 'UTC', day_after AT TIME ZONE 'UTC')
      FROM wanted, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid = ('{inbox}.' || :table)::regclass
        AND to_regclass(format('%I.%I', n.nspname, c.relname || to_char(day, '_YYYYMMDD'))) IS NULL
      ORDER BY day
      """;

  /** The statements that create the partitions for today and the coming days. */
  static final String MISSING_PARTITIONS =
      MISSING_DAYS
          + ", wanted AS (SELECT day, day + interval '1 day' AS day_after FROM missing)\n"
          + CREATE;

  /** The statement that creates one partition for the coming week, up to the next existing one. */
  static final String MISSING_WEEK =
      MISSING_DAYS
          + """
          , first AS (SELECT min(day) AS day FROM missing WHERE day > today)
          , wanted AS (
            SELECT day,
                   least(day + interval '7 days',
                         (SELECT min(begins_on_utc) AT TIME ZONE 'UTC' FROM partition
                          WHERE begins_on_utc > day AT TIME ZONE 'UTC')) AS day_after
            FROM first WHERE day IS NOT NULL
          )
          """
          + CREATE;

  /**
   * Whether an hour has passed since the last attempt to create a partition beside a large default
   * one.
   */
  static final String IS_TIME_TO_CREATE =
      """
      INSERT INTO {inbox}.inbox_retention_progress AS r (task, source, position) VALUES ('create', :table, 0)
      ON CONFLICT (task, source) DO UPDATE SET began_on_utc = now()
      WHERE r.began_on_utc NOT BETWEEN now() - interval '1 hour' AND now()
      """;

  /** Others wait while a large default partition is scanned. */
  static final String WAIT_A_MOMENT =
      "SET LOCAL lock_timeout = '100ms'; SET LOCAL statement_timeout = '5s'";

  /** Reads a whole partition that nobody writes to, without blocking anybody. */
  static final String LOOK_AT_ALL = "SET LOCAL statement_timeout = '5min'";

  static String hasAsSeen(String table) {
    return """
        SELECT seen = (SELECT count(*) FROM %s) FROM {inbox}.inbox_retention_progress
        WHERE task = 'remove' AND source = :source
        """
        .formatted(table);
  }

  static final String SIZE = "SELECT pg_relation_size(('{inbox}.' || :table)::regclass)";

  static String drop(String table) {
    return "DROP TABLE " + table;
  }
}
