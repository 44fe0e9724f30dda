package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.store.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the retention job makes of what a clock wrote that was wrong. */
@Tag("slow")
@Timeout(60)
class ClockJumpTest {

  private static final Retention WEEK = Retention.days(7);
  private static final Set<String> ORDERS = Set.of(Messages.ENDPOINT);

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);

  @AfterEach
  void close() {
    store.close();
  }

  private RetentionReport run(Retention retention) {
    return store.retain(ORDERS, retention, false, soFar -> true);
  }

  /** Messages of these numbers, processed. */
  private void processed(int from, int to) {
    store.receive(Messages.ENDPOINT, Messages.events(to).subList(from, to));
    Messages.settle(store, to - from, Outcome.Processed::new);
  }

  /** Makes what is dated up to now so much older. */
  private void age(int days) {
    database.execute(
        "UPDATE inbox_messages SET received_on_utc = received_on_utc - interval '%d days'"
                .formatted(days)
            + " WHERE received_on_utc <= now()");
    database.execute(
        "UPDATE inbox_processed SET processed_on_utc = processed_on_utc - interval '%d days'"
                .formatted(days)
            + " WHERE processed_on_utc <= now()");
    database.execute(
        "UPDATE inbox_archive SET archived_on_utc = archived_on_utc - interval '%d days'"
                .formatted(days)
            + " WHERE archived_on_utc <= now()");
    database.execute(
        "UPDATE inbox_retention_progress SET began_on_utc = began_on_utc - interval '%d days'"
                .formatted(days)
            + " WHERE began_on_utc <= now()");
  }

  private void partition(String name, String from, String to) {
    database.execute(
        "CREATE TABLE %s PARTITION OF inbox_processed FOR VALUES FROM ('%s') TO ('%s')"
            .formatted(name, from, to));
  }

  /** The names of the days from today on that have a partition of their own. */
  private List<String> daysAhead() {
    return database.texts(
        """
        SELECT to_char(day, 'YYYYMMDD')
        FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC'),
                             date_trunc('day', now() AT TIME ZONE 'UTC') + interval '7 days',
                             interval '1 day') day
        WHERE to_regclass('inbox_processed_' || to_char(day, 'YYYYMMDD')) IS NOT NULL
        """);
  }

  @Test
  void aClockThatWasAheadLeavesNoDayWithoutAPartition() {
    partition("inbox_processed_ahead", "2099-01-01", "2099-01-02");
    run(WEEK);
    assertThat(daysAhead()).hasSize(8);
  }

  @Test
  void aDayThatIsMissingBetweenOthersGetsItsPartition() {
    run(WEEK);
    database.execute("DROP TABLE inbox_processed_" + daysAhead().get(3));
    database.execute("DROP TABLE inbox_processed_" + daysAhead().get(5));
    run(WEEK);
    assertThat(daysAhead()).hasSize(8);
  }

  @Test
  void aTableThatHasTheNameOfAPartitionStopsNothing() {
    run(WEEK);
    String taken = "inbox_processed_" + daysAhead().get(3);
    database.execute("ALTER TABLE inbox_processed DETACH PARTITION " + taken);
    processed(0, 3);
    age(8);
    assertThat(run(WEEK).removed()).isEqualTo(3);
  }

  @Test
  void aLargeDefaultPartitionGetsNoMoreRows() {
    database.execute("ALTER TABLE inbox_processed_default SET (fillfactor = 10)");
    database.execute(
        """
        INSERT INTO inbox_processed
        SELECT 1000000 + n, 1, now() - interval '1 day' FROM generate_series(1, 200000) n
        """);
    assertThat(database.count("SELECT pg_relation_size('inbox_processed_default')"))
        .isGreaterThan(64L << 20);
    store.retain(ORDERS, WEEK, false, soFar -> false);
    database.execute(
        "INSERT INTO inbox_processed SELECT n, 1, now() + n * interval '1 day'"
            + " FROM generate_series(1, 7) n");
    assertThat(
            database.texts(
                "SELECT DISTINCT tableoid::regclass::text FROM inbox_processed"
                    + " WHERE processed_on_utc > now()"))
        .singleElement()
        .isNotEqualTo("inbox_processed_default");
  }

  @Test
  void whatCameWhileTheClockWasAheadDoesNotHoldUpWhatCameLater() {
    processed(0, 20);
    database.execute("UPDATE inbox_messages SET received_on_utc = '2099-01-01'");
    processed(20, 60);
    age(8);
    assertThat(run(WEEK).removed()).isEqualTo(60);
  }

  @Test
  void whatWasDiscardedWhileTheClockWasAheadGoesWithWhatWasLater() {
    store.receive(Messages.ENDPOINT, Messages.events(60));
    store.discardPending(MessageFilter.all(), "anna", 0, 20);
    database.execute("UPDATE inbox_interventions SET done_on_utc = '2099-01-01'");
    store.discardPending(MessageFilter.all(), "anna", 0, 40);
    assertThat(run(WEEK).removed()).isZero();
    database.execute(
        "UPDATE inbox_interventions SET done_on_utc = done_on_utc - interval '8 days'"
            + " WHERE done_on_utc <= now()");
    assertThat(run(WEEK).removed()).isEqualTo(60);
    assertThat(run(WEEK.history(Duration.ofDays(7))).forgotten()).isEqualTo(60);
  }

  @Test
  void whatWasProcessedWhileTheClockWasAheadGoesInTheEnd() {
    partition("inbox_processed_ahead", "2099-01-01", "2099-01-02");
    processed(0, 40);
    database.execute("UPDATE inbox_processed SET processed_on_utc = '2098-01-01' WHERE seq <= 20");
    database.execute(
        "UPDATE inbox_processed SET processed_on_utc = '2099-01-01 12:00' WHERE seq > 20");
    database.execute("UPDATE inbox_messages SET received_on_utc = '2098-01-01'");
    assertThat(run(WEEK).removed()).as("what may be a moment old").isZero();
    assertThat(
            database.count("SELECT count(*) FROM inbox_processed WHERE processed_on_utc > now()"))
        .isZero();
    age(6);
    assertThat(run(WEEK).removed()).isZero();
    age(2);
    assertThat(run(WEEK).removed()).isEqualTo(40);
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isZero();
  }

  @Test
  void whatWasArchivedWhileTheClockWasAheadExpiresInTheEnd() {
    Retention retention = WEEK.archive(Duration.ofDays(100));
    processed(0, 40);
    age(8);
    run(retention);
    database.execute("UPDATE inbox_archive SET archived_on_utc = '2099-01-01'");
    assertThat(run(retention).expired()).isZero();
    age(101);
    assertThat(run(retention).expired()).isEqualTo(40);
  }

  @Test
  void aLookThatBeganWhileTheClockWasAheadBeginsAnew() {
    processed(0, 3);
    age(6);
    processed(3, 20);
    database.execute("UPDATE inbox_messages SET received_on_utc = '2000-01-01'");
    assertThat(run(WEEK).removed()).as("and it has passed by all").isZero();
    database.execute("UPDATE inbox_retention_progress SET began_on_utc = '2099-01-01'");
    age(2);
    assertThat(run(WEEK).removed()).isEqualTo(3);
  }
}
