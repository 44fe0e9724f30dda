package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.listener.Backlog;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is pending, and what it costs to know. */
class BacklogTest {

  private static final String ENDPOINT = "orders";

  private final TestDatabase database = TestDatabase.fresh();

  @Test
  void nothingIsPendingAtAnEmptyEndpoint() {
    fill("others", 10, "now()", false);
    assertThat(backlog()).isEqualTo(new Backlog(0, Duration.ZERO));
  }

  @Test
  void messagesWithAndWithoutAKeyAreCountedAndTheOldestIsTheOneThatIsDueLongest() {
    fill(ENDPOINT, 30, "now() - interval '1 minute'", false);
    fill(ENDPOINT, 20, "now() - interval '2 minutes'", true);
    fill(ENDPOINT, 10, "now() + interval '1 day'", false);
    Backlog backlog = backlog();
    assertThat(backlog.pending()).isEqualTo(60);
    assertThat(backlog.oldest()).isBetween(Duration.ofSeconds(119), Duration.ofMinutes(10));
  }

  @Test
  void whatIsNotDueYetWaitsForNothing() {
    fill(ENDPOINT, 5, "now() + interval '1 day'", true);
    fill(ENDPOINT, 5, "now() + interval '1 day'", false);
    assertThat(backlog()).isEqualTo(new Backlog(10, Duration.ZERO));
  }

  @Test
  void aLargeBacklogIsEstimatedWithinFiftyMilliseconds() {
    fill(ENDPOINT, 150_000, "now() - interval '1 hour'", false);
    fill("others", 50_000, "now()", true);
    try (JdbiInboxStore store = JdbiInboxStore.connect(database.url())) {
      assertThat(store.backlog(ENDPOINT).pending()).isGreaterThanOrEqualTo(Backlog.EXACT);
      database.execute("ANALYZE inbox_pending");
      assertThat(store.backlog(ENDPOINT).pending()).isBetween(120_000L, 180_000L);
      assertThat(store.backlog("others").pending()).isBetween(35_000L, 65_000L);
      long fastest =
          LongStream.range(0, 20)
              .map(
                  i -> {
                    long begin = System.nanoTime();
                    store.backlog(ENDPOINT);
                    return System.nanoTime() - begin;
                  })
              .min()
              .orElseThrow();
      assertThat(Duration.ofNanos(fastest)).isLessThan(Duration.ofMillis(50));
    }
  }

  private Backlog backlog() {
    try (JdbiInboxStore store = JdbiInboxStore.connect(database.url())) {
      return store.backlog(ENDPOINT);
    }
  }

  /** Pending rows are enough: what is kept is not looked at. */
  private void fill(String endpoint, int count, String due, boolean ordered) {
    database.execute(
        """
        INSERT INTO inbox_pending (seq, endpoint, type, due_on_utc, ordering_key, lane)
        SELECT seq, '%s', 'created', due, key,
               CASE WHEN due > now() THEN (-1 - inbox_lane(key, seq))::smallint
                    ELSE inbox_lane(key, seq) END
        FROM (SELECT (SELECT coalesce(max(seq), 0) FROM inbox_pending) + n AS seq, %s AS due,
                     CASE WHEN %b THEN 'key ' || n END AS key
              FROM generate_series(1, %d) n) rows
        """
            .formatted(endpoint, due, ordered, count));
  }
}
