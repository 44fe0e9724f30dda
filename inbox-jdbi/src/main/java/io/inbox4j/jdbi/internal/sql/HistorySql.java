package io.inbox4j.jdbi.internal.sql;

import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.store.AttemptFailure;

/** The statements about failed attempts, readable enough to paste into psql. */
public final class HistorySql {

  private HistorySql() {}

  /** The columns of failed attempts, as arrays to be unnested. */
  static final String ARRAYS = ":errorClasses, :summaries, :fingerprints, :tookMillis, :processes";

  static final String COLUMNS = "error_class, summary, fingerprint, took_millis, process";

  /**
   * Records what the relation {@code failed} contains, and drops what is too much. It reads the
   * history as it was before the statement. A number that exists already, because the message
   * changed hands meanwhile, is no reason to fail.
   */
  static final String RECORD =
      """
      numbered AS MATERIALIZED (
        SELECT failed.*, coalesce((SELECT max(a.number) FROM {inbox}.inbox_attempts a
                                   WHERE a.seq = failed.seq), 0) + 1 AS number
        FROM failed
      ), recorded AS (
        INSERT INTO {inbox}.inbox_attempts (seq, number, attempt, error_class, error, fingerprint,
                                    took_millis, process)
        SELECT seq, number, attempt, error_class, summary, fingerprint, took_millis, process
        FROM numbered
        ON CONFLICT (seq, number) DO NOTHING
      ), dropped AS (
        DELETE FROM {inbox}.inbox_attempts a USING numbered n
        WHERE a.seq = n.seq AND a.number > %d AND a.number <= n.number - %d
      )
      """
          .formatted(FailedAttempt.FIRST_KEPT, FailedAttempt.LAST_KEPT);

  /** Records that the last attempt of messages ended with a crash of their process. */
  public static final String RECORD_CRASHES =
      """
      WITH failed AS (
        SELECT seq, attempt, NULL::text AS error_class, '%s' AS summary, '%s' AS fingerprint,
               NULL::integer AS took_millis, NULL::text AS process
        FROM unnest(:seqs, :attempts) AS c (seq, attempt)
      ), %s
      SELECT count(*) FROM numbered
      """
          .formatted(AttemptFailure.DIED, AttemptFailure.CRASH, RECORD);

  public static final String ATTEMPTS =
      """
      SELECT a.* FROM {inbox}.inbox_messages m JOIN {inbox}.inbox_attempts a USING (seq)
      WHERE m.message_id = :id AND m.endpoint = :endpoint
      ORDER BY a.number
      """;

  /** Drops the history of the messages in the relation {@code moved}. */
  public static final String DROP_HISTORY =
      """
      , history AS (
        DELETE FROM {inbox}.inbox_attempts a USING moved WHERE a.seq = moved.seq
      )
      """;
}
