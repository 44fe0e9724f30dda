package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.Outcome;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InboxViewTest {

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);

  @AfterEach
  void close() {
    store.close();
  }

  /** Four messages: processed in the second attempt, failed, retrying and pending. */
  private void fill() {
    store.receive(Messages.ENDPOINT, Messages.events(4));
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ZERO, "first"));
    settle(0, new Outcome.Processed(sequence(0)));
    settle(1, new Outcome.Dead(sequence(1), "no stock"));
    settle(2, new Outcome.Retry(sequence(2), Duration.ofHours(1), "not yet"));
  }

  private void settle(int n, Outcome outcome) {
    try (var transaction = store.begin(Messages.ENDPOINT)) {
      assertThat(transaction.reclaim(List.of(sequence(n)))).hasSize(1);
      transaction.commit(List.of(outcome));
    }
  }

  private long sequence(int n) {
    return database.count("SELECT seq FROM inbox WHERE id = ?", Messages.id(n));
  }

  @Test
  void aPersonSeesWhereEveryMessageIs() {
    fill();
    String row =
        "SELECT concat_ws('|', status, attempts, error, processed_on_utc IS NOT NULL,"
            + " next_attempt_on_utc > now() + interval '30 minutes', content->>'n', type, endpoint,"
            + " correlation_id, source, received_on_utc <= now()) FROM inbox ORDER BY seq";
    assertThat(database.texts(row))
        .containsExactly(
            "processed|2|t|0|created|orders|correlation|shop|t",
            "dead|1|no stock|f|1|created|orders|correlation|shop|t",
            "retrying|1|not yet|f|t|2|created|orders|correlation|shop|t",
            "pending|0|f|3|created|orders|correlation|shop|t");
  }

  @Test
  void aMessageIsInExactlyOnePlace() {
    fill();
    assertThat(database.count("SELECT count(*) FROM inbox_pending")).isEqualTo(2);
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM inbox_dead")).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM inbox")).isEqualTo(4);
  }

  @Test
  void theColumnsHaveTheTypesAndNamesThatPeopleKnow() {
    assertThat(
            database.texts(
                "SELECT column_name || ' ' || data_type FROM information_schema.columns"
                    + " WHERE table_name = 'inbox' AND table_schema = current_schema()"))
        .contains(
            "id uuid",
            "type text",
            "content jsonb",
            "status text",
            "received_on_utc timestamp with time zone",
            "processed_on_utc timestamp with time zone",
            "attempts smallint",
            "next_attempt_on_utc timestamp with time zone",
            "error text",
            "correlation_id text",
            "source text",
            "endpoint text",
            "message_id uuid",
            "message_type text",
            "received_at timestamp with time zone",
            "processed_at timestamp with time zone",
            "error_message text",
            "source_service text");
  }

  @Test
  void theBacklogIsCountedByStatus() {
    fill();
    List<Map<String, Object>> rows =
        rows(
            """
            -- Count messages by status to identify backlogs
            SELECT status, COUNT(*) as count
            FROM inbox
            GROUP BY status;
            """);
    assertThat(rows)
        .extracting(row -> row.get("status") + " " + row.get("count"))
        .containsExactlyInAnyOrder("processed 1", "dead 1", "retrying 1", "pending 1");
  }

  @Test
  void messagesThatAreStuckAreFound() {
    fill();
    database.execute(
        "UPDATE inbox_messages SET received_on_utc = now() - interval '6 minutes' WHERE seq = ?",
        sequence(3));
    List<Map<String, Object>> rows =
        rows(
            """
            -- Find messages stuck in pending state (potential processing issues)
            SELECT message_id, message_type, received_at
            FROM inbox
            WHERE status = 'pending'
              AND received_at < NOW() - INTERVAL '5 minutes'
            ORDER BY received_at ASC;
            """);
    assertThat(rows).singleElement().extracting("message_id").isEqualTo(Messages.id(3));
  }

  @Test
  void typesThatFailOftenAreFound() {
    fill();
    List<Map<String, Object>> rows =
        rows(
            """
            -- Identify high-failure message types for investigation
            SELECT message_type, COUNT(*) as failure_count
            FROM inbox
            WHERE status = 'dead'
              AND received_at > NOW() - INTERVAL '1 hour'
            GROUP BY message_type
            ORDER BY failure_count DESC;
            """);
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0))
        .containsEntry("message_type", "created")
        .containsEntry("failure_count", 1L);
  }

  @Test
  void whatCameInAnHourIsCounted() {
    fill();
    List<Map<String, Object>> rows =
        rows(
            """
            -- Calculate deduplication rate (indicates producer retry behavior)
            SELECT
              DATE_TRUNC('hour', received_at) as hour,
              COUNT(*) as total_received,
              COUNT(*) FILTER (WHERE status = 'processed') as processed,
              COUNT(*) FILTER (WHERE status = 'dead') as failed
            FROM inbox
            WHERE received_at > NOW() - INTERVAL '24 hours'
            GROUP BY DATE_TRUNC('hour', received_at)
            ORDER BY hour DESC;
            """);
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0))
        .containsEntry("total_received", 4L)
        .containsEntry("processed", 1L)
        .containsEntry("failed", 1L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":\"\\u0000\"}", "{\"a\":\"\\ud800\"}", "{\"a\":1e999999}"})
  void contentThatJsonbRefusesIsShownAsNullAndHidesNothingElse(String body) {
    store.receive(
        Messages.ENDPOINT, List.<ValidatedDelivery>of(Messages.event(0, body), Messages.event(1)));
    assertThat(database.texts("SELECT (content IS NULL) || ' ' || status FROM inbox ORDER BY seq"))
        .containsExactly("true pending", "false pending");
  }

  @Test
  void aMessageThatWasReplayedIsPendingAgain() {
    fill();
    store.replayDead(MessageFilter.all(), "anna", 0, 10);
    assertThat(database.texts("SELECT status || attempts FROM inbox WHERE id = ?", Messages.id(1)))
        .containsExactly("pending0");
  }

  @Test
  void aMessageThatWasDiscardedSaysSo() {
    fill();
    store.discardDead(MessageFilter.all(), "anna", 0, 10);
    assertThat(database.texts("SELECT status FROM inbox ORDER BY seq"))
        .containsExactly("processed", "discarded", "retrying", "pending");
    store.discardPending(MessageFilter.all(), "anna", 0, 10);
    assertThat(database.texts("SELECT status FROM inbox ORDER BY seq"))
        .containsExactly("processed", "discarded", "discarded", "discarded");
  }

  /** The query is run as it is written, its comment and semicolon included. */
  private List<Map<String, Object>> rows(String query) {
    return database
        .jdbi()
        .withHandle(handle -> handle.createQuery(query.replace(":", "\\:")).mapToMap().list());
  }
}
