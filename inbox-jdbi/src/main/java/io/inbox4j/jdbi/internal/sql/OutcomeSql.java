package io.inbox4j.jdbi.internal.sql;

/** The statements that give messages their outcomes, and mark those that may crash a process. */
public final class OutcomeSql {

  private OutcomeSql() {}

  public static final String MARK_CRASH_RISK =
      """
      UPDATE {inbox}.inbox_pending p
      SET lane = %s, crashes = crashes + 1, lease = NULL, due_on_utc = clock_timestamp() + :holdBack
      FROM %s r WHERE p.ctid = r.at
      """
          .formatted(PendingSql.parked("p.lane"), PendingSql.claimedRows("", ""));

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
          .formatted(PendingSql.PENDING_BY_SEQUENCE, PendingSql.parked("p.lane"));

  public static final String CLEAR_CRASH_RISK =
      """
      UPDATE {inbox}.inbox_pending p
      SET crashes = crashes - 1,
          due_on_utc = CASE WHEN lease IS NULL THEN clock_timestamp() ELSE due_on_utc END
      FROM (SELECT place.* FROM {inbox}.inbox_messages m %s WHERE m.seq = ANY (:seqs)) mine
      WHERE p.endpoint = mine.endpoint AND p.lane = mine.lane AND p.seq = mine.seq AND crashes > 0
      """
          .formatted(PendingSql.placeOf("m", ""));

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
          .formatted(PendingSql.placeOf("m", "FOR UPDATE SKIP LOCKED"));

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
          .replace("{rows}", PendingSql.claimedRows("", ""));

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
              PendingSql.parked("p.lane"),
              ATTEMPT,
              PendingSql.claimedRows(
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
              PendingSql.parked("p.lane"),
              PendingSql.claimedRows(
                  ", :times::timestamptz[], :delays::interval[]", ", due_at, delay"));

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
              PendingSql.claimedRows(
                  ", :errors, :holds, " + HistorySql.ARRAYS,
                  ", error, holds, " + HistorySql.COLUMNS),
              ATTEMPT,
              HistorySql.COLUMNS,
              HistorySql.RECORD);
}
