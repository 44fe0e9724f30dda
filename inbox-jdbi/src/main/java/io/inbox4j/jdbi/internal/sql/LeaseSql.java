package io.inbox4j.jdbi.internal.sql;

/** The statements of leases, under which messages are handled outside a transaction. */
public final class LeaseSql {

  private LeaseSql() {}

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
          .formatted(
              PendingSql.parked("p.lane"), PendingSql.claimedRows(", :orphans", ", orphaned"));

  /** Which of these leases are still held. */
  private static String stillLeased(String locking) {
    return """
        SELECT place.at, p.endpoint, p.lane, p.seq, p.lease
        FROM unnest(:seqs, :tokens) AS l (seq, token)
        JOIN {inbox}.inbox_messages m ON m.seq = l.seq
        %s JOIN {inbox}.inbox_pending p ON p.ctid = place.at AND p.lease = l.token
        """
        .formatted(PendingSql.placeOf("m", locking));
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
          .formatted(CLAIM_LEASED, PendingSql.parked("p.lane"));

  /** Waits for whoever has locked one of them. */
  public static final String GIVE_BACK =
      """
      UPDATE {inbox}.inbox_pending p
      SET lane = %s, lease = NULL, crashes = greatest(crashes - 1, 0), due_on_utc = clock_timestamp()
      FROM (%s) mine
      WHERE p.endpoint = mine.endpoint AND p.lane = mine.lane AND p.seq = mine.seq
        AND p.lease = mine.lease
      """
          .formatted(PendingSql.parked("p.lane"), STILL_LEASED);
}
