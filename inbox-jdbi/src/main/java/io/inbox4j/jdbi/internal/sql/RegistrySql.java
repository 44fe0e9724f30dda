package io.inbox4j.jdbi.internal.sql;

import io.inbox4j.store.ProcessRegistryStore;

/** The statements about running processes, readable enough to paste into psql. */
public final class RegistrySql {

  private RegistrySql() {}

  /**
   * Whether the last heartbeat of a process is recent; one in the future was sent before the clock
   * was set back.
   */
  private static String isRecent(long seconds) {
    return "seen_on_utc BETWEEN now() - interval '%1$d s' AND now() + interval '%1$d s'"
        .formatted(seconds);
  }

  private static final String IS_RUNNING = isRecent(ProcessRegistryStore.EXPIRY.toSeconds());

  public static final String REGISTER =
      """
      INSERT INTO {inbox}.inbox_processes (id, name, host, pid, version, roles, endpoints, handled_at,
                                   handled_types, started_on_utc)
      VALUES (:id, :name, :host, :pid, :version, :roles, :endpoints, :handledAt, :handledTypes,
              now() - CAST(:uptime AS interval))
      ON CONFLICT (id) DO UPDATE
      SET roles = excluded.roles, endpoints = excluded.endpoints, handled_at = excluded.handled_at,
          handled_types = excluded.handled_types, seen_on_utc = now()
      """;

  /** Renews the entry of a process, and removes those that nobody reads any more. */
  public static final String HEARTBEAT =
      """
      WITH expired AS (
        DELETE FROM {inbox}.inbox_processes WHERE id IN (
          SELECT id FROM {inbox}.inbox_processes WHERE id <> :id AND NOT (%s)
          FOR UPDATE SKIP LOCKED)
      )
      UPDATE {inbox}.inbox_processes SET seen_on_utc = now() WHERE id = :id
      """
          .formatted(isRecent(2 * ProcessRegistryStore.EXPIRY.toSeconds()));

  public static final String DEREGISTER = "DELETE FROM {inbox}.inbox_processes WHERE id = :id";

  public static final String RUNNING =
      """
      SELECT * FROM {inbox}.inbox_processes WHERE %s ORDER BY name, started_on_utc, id LIMIT %d
      """
          .formatted(IS_RUNNING, ProcessRegistryStore.MAX_LISTED);

  /**
   * The types of the first pending messages and quarantined deliveries of endpoints that no running
   * process handles.
   */
  public static final String UNHANDLED =
      """
      WITH handled AS MATERIALIZED (
        SELECT h.endpoint, h.type
        FROM {inbox}.inbox_processes p CROSS JOIN LATERAL
             unnest(p.handled_at, p.handled_types) AS h (endpoint, type)
        WHERE %1$s
      ), waiting AS MATERIALIZED (
        SELECT e.endpoint, first.type, first.quarantined
        FROM unnest(:endpoints) AS e (endpoint) CROSS JOIN LATERAL (
          SELECT DISTINCT type, quarantined FROM (
            (SELECT p.type, false AS quarantined
             FROM generate_series(0, 127) AS l (lane) CROSS JOIN LATERAL (
               SELECT type FROM {inbox}.inbox_pending
               WHERE endpoint = e.endpoint AND lane = l.lane::smallint
               ORDER BY seq LIMIT 16) p)
            UNION ALL
            (SELECT p.type, false FROM {inbox}.inbox_pending p
             WHERE p.endpoint = e.endpoint AND p.lane < 0
             ORDER BY p.due_on_utc, p.seq LIMIT %2$d)
            UNION ALL
            (SELECT q.type, true FROM {inbox}.inbox_quarantine q
             WHERE q.endpoint = e.endpoint AND q.reason = 'unknown-type' AND q.type IS NOT NULL
             ORDER BY left(q.type, 255), q.seq LIMIT %2$d)
          ) every
        ) first
      )
      SELECT w.endpoint, w.type, w.quarantined FROM waiting w
      WHERE NOT EXISTS (SELECT 1 FROM handled h WHERE h.endpoint = w.endpoint AND h.type = w.type)
      ORDER BY w.endpoint, w.quarantined, w.type LIMIT %2$d
      """
          .formatted(IS_RUNNING, ProcessRegistryStore.MAX_LISTED);
}
