package io.inbox4j.cli;

import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.testkit.PostgresServer;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** A database of a service that has been running for a while. */
public record Tables(String url, Jdbi jdbi) {

  static final String BILLING = "billing.orders";
  static final String SHIPPING = "shipping.orders";

  static final String FILL =
      """
      INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered, received_on_utc)
      SELECT '%1$s', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'order-placed',
             convert_to('{"order":' || n || '}', 'UTF8'), false, now() - interval '40 s'
      FROM generate_series(1, 12) n ORDER BY n;
      INSERT INTO inbox_pending (seq, lane, endpoint, type, attempts, last_error, due_on_utc)
      SELECT seq, inbox_lane(NULL, seq), endpoint, type, CASE WHEN seq <= 2 THEN 1 ELSE 0 END,
             CASE WHEN seq <= 2 THEN 'no price list' END, now() - interval '30 s'
      FROM inbox_messages WHERE seq <= 5;
      INSERT INTO inbox_dead (seq, attempts, error, dead_on_utc, endpoint)
      SELECT seq, 3, 'no such customer', now(), endpoint FROM inbox_messages
      WHERE seq BETWEEN 6 AND 8;
      INSERT INTO inbox_processed (seq, attempts, processed_on_utc)
      SELECT seq, 1, now() - interval '20 s' FROM inbox_messages WHERE seq > 8;
      INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered, ordering_key)
      VALUES ('%2$s', '00000000-0000-4000-8000-000000000001', 'order-placed', '{}', false, 'k');
      INSERT INTO inbox_pending (seq, endpoint, type, ordering_key, lane)
      SELECT seq, endpoint, type, ordering_key, inbox_lane(ordering_key, seq)
      FROM inbox_messages WHERE endpoint = '%2$s';
      INSERT INTO inbox_quarantine (endpoint, reason, detail, fingerprint, message_id, type, body,
                                    content_type, redelivered)
      VALUES ('%1$s', 'unknown-type', 'nobody knows it', gen_random_uuid(),
              '00000000-0000-4000-8000-000000000077', 'order-placed', '{"order":77}', 'application/json', false),
             ('%1$s', 'invalid-json', 'it is no JSON', gen_random_uuid(), NULL, NULL, 'nonsense', NULL, false);
      """
          .formatted(BILLING, SHIPPING);

  /** An empty database. */
  static Tables none() {
    String url = PostgresServer.shared().newDatabase();
    return new Tables(url, Jdbi.create(url));
  }

  /** 5 pending, 2 of them retrying, 3 dead, 4 processed, 2 quarantined; and 1 pending elsewhere. */
  public static Tables filled() {
    Tables tables = none();
    JdbiInboxStore.migrate(PostgresServer.shared().dataSource(tables.url));
    tables.execute(FILL);
    return tables;
  }

  /** As {@link #filled}, and the one elsewhere keeps another of its key waiting for very long. */
  static Tables blocked() {
    Tables tables = filled();
    tables.execute(
        """
        UPDATE inbox_pending SET due_on_utc = '2999-01-31T08:00:00Z', lane = -1 - lane
        WHERE ordering_key = 'k';
        INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered, ordering_key)
        VALUES ('%1$s', '%2$s', 'order-placed', '{}', false, 'k');
        INSERT INTO inbox_pending (seq, endpoint, type, ordering_key, lane)
        SELECT seq, endpoint, type, ordering_key, inbox_lane(ordering_key, seq)
        FROM inbox_messages WHERE message_id = '%2$s';
        """
            .formatted(SHIPPING, id(90)));
    return tables;
  }

  static String id(int n) {
    return "00000000-0000-4000-8000-%012d".formatted(n);
  }

  public void execute(String script) {
    jdbi.useHandle(handle -> handle.createScript(script).execute());
  }

  long count(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  List<String> texts(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(String.class).list());
  }

  /** All that a command could change, to see that it has not. */
  List<String> everything() {
    return texts(
        """
        SELECT 'pending ' || p::text FROM inbox_pending p
        UNION ALL SELECT 'dead ' || d::text FROM inbox_dead d
        UNION ALL SELECT 'processed ' || p::text FROM inbox_processed p
        UNION ALL SELECT 'message ' || seq FROM inbox_messages
        UNION ALL SELECT 'quarantine ' || seq FROM inbox_quarantine
        UNION ALL SELECT 'paused ' || p::text FROM inbox_paused p
        UNION ALL SELECT 'done ' || i::text FROM inbox_interventions i
        ORDER BY 1
        """);
  }
}
