package io.inbox4j.jdbi.internal.sql;

/** Where pending rows are, and what is known of them: parts of the statements that find them. */
public final class PendingSql {

  private PendingSql() {}

  /**
   * The lane of a pending row, wherever the row is: it waits in the lane, or is parked until it is
   * due, or is held until an earlier message of its key is.
   */
  static String laneOf(String lane) {
    return "(greatest(%1$s, -1 - %1$s) & 127)".formatted(lane);
  }

  /** Where a row of this lane is parked. */
  static String parked(String lane) {
    return "(-1 - %s)::smallint".formatted(laneOf(lane));
  }

  /** Where a row of this lane is held. */
  static String held(String lane) {
    return "(-129 - %s)::smallint".formatted(laneOf(lane));
  }

  /** Whether a row is held up by an earlier message of its key. */
  static final String IS_HELD = "lane < -128";

  /**
   * The pending row of the message m, wherever it is. It is found by the index, however the server
   * plans the rest: a plan that was made while the table was small may stay.
   */
  static String placeOf(String message, String locking) {
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
  static String claimedRows(String arrays, String columns) {
    return """
        (SELECT a.*, place.at FROM unnest(:lanes, :seqs%s) AS a (lane, seq%s)
         CROSS JOIN LATERAL (
           SELECT w.ctid AS at FROM {inbox}.inbox_pending w
           WHERE w.endpoint = :endpoint AND w.lane = a.lane AND w.seq = a.seq LIMIT 1) place)"""
        .formatted(arrays, columns);
  }

  /** Condition on a pending row: whether it was in flight when a worker crashed or gave up. */
  static String isOrphan(String row, String locker) {
    return "(%1$s.crashes > 0 OR %1$s.lease IS NOT NULL OR (%2$s <> '0'::xid AND {inbox}.inbox_rolled_back(%2$s)))"
        .formatted(row, locker);
  }

  /** Condition on a pending row l with an ordering key: whether it is handled under a lease. */
  static final String IS_LEASED =
      "l.lease > 0 AND l.ordering_key IS NOT NULL AND l.due_on_utc > now()";
}
