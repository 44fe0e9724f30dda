package io.inbox4j.jdbi.internal.sql;

/** The statements that store what arrives. */
public final class ReceiveSql {

  private ReceiveSql() {}

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
}
