package io.inbox4j.cli;

import static io.inbox4j.cli.Tables.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.testkit.ChildProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(180)
class TailTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void whatHappensIsSeenUntilTheCountIsReached() {
    Tables tables = Tables.filled();
    try (ChildProcess tail =
        ChildProcess.start(
            List.of("-XX:TieredStopAtLevel=1", "-Dinbox.terminal=1"),
            InboxCommand.class,
            "tail",
            "--jdbc",
            tables.url(),
            "--every",
            "200ms",
            "--count",
            "5")) {
      awaitFollowing(tables);
      tables.execute(
          """
          WITH m AS (
            INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered)
            VALUES ('billing.orders', '%s', 'order-placed', '{}', false) RETURNING seq, endpoint, type)
          INSERT INTO inbox_pending (seq, lane, endpoint, type)
          SELECT seq, inbox_lane(NULL, seq), endpoint, type FROM m
          """
              .formatted(id(50)));
      tail.awaitLine(line -> line.contains("received") && line.contains(id(50)), PATIENCE);
      tables.execute(
          """
          WITH p AS (DELETE FROM inbox_pending WHERE seq = 3 RETURNING seq)
          INSERT INTO inbox_processed (seq, attempts, processed_on_utc) SELECT seq, 1, now() FROM p;
          UPDATE inbox_pending SET attempts = 1, last_error = 'late' WHERE seq = 4;
          """);
      tail.awaitLine(line -> line.contains("processed") && line.contains(id(3)), PATIENCE);
      tail.awaitLine(line -> line.contains("retrying") && line.contains("late"), PATIENCE);
      tables.execute(
          """
          WITH p AS (DELETE FROM inbox_pending WHERE seq = 4 RETURNING seq, endpoint)
          INSERT INTO inbox_dead (seq, attempts, error, dead_on_utc, endpoint)
          SELECT seq, 2, 'too late', now(), endpoint FROM p;
          """);
      assertThat(tail.awaitLine(line -> line.contains("too late"), PATIENCE))
          .as("a terminal sees colours")
          .contains("\u001b[31mdead");
      tables.execute(
          """
          INSERT INTO inbox_quarantine (endpoint, reason, detail, fingerprint, body, redelivered)
          VALUES ('billing.orders', 'bad-id', 'too long', gen_random_uuid(), '', false)
          """);
      tail.awaitLine(line -> line.contains("quarantined"), PATIENCE);
      assertThat(tail.exitCode(PATIENCE)).isZero();
    }
  }

  @Test
  void aTimeEndsIt() {
    Tables tables = Tables.filled();
    Cli.Result result =
        Cli.here("tail", "--jdbc", tables.url(), "--for", "300ms", "--every", "100ms", "--json");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).isEmpty();
  }

  /** Its first look is over when its connection rests after a look at the quarantine. */
  private static void awaitFollowing(Tables tables) {
    org.awaitility.Awaitility.await()
        .atMost(PATIENCE)
        .until(
            () ->
                tables.count(
                            """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE '%max(seq)%quarantine%'
                          AND application_name = 'inbox command line' AND state = 'idle'
                        """)
                        + tables.count(
                            """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE '%newest%'
                          AND application_name = 'inbox command line'
                        """)
                    > 0);
  }
}
