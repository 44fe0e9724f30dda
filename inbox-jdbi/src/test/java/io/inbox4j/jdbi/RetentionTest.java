package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.RetentionRunner;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.ValidatedDelivery;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the retention job removes, and what it leaves alone. */
@Tag("slow")
@Timeout(60)
class RetentionTest {

  private static final Retention WEEK = Retention.days(7);
  private static final Set<String> ORDERS = Set.of(Messages.ENDPOINT);

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    threads.shutdownNow();
    store.close();
  }

  /** This many messages, from 0 on, processed so long ago. */
  private void processed(int count, int daysAgo) {
    store.receive(Messages.ENDPOINT, Messages.events(count));
    for (int left = count; left > 0; ) {
      left -= Messages.settle(store, left, Outcome.Processed::new).size();
    }
    age(daysAgo);
  }

  /** Makes all that is there older. */
  private void age(int days) {
    String by = " - interval '%d days'".formatted(days);
    database.execute("UPDATE inbox_messages SET received_on_utc = received_on_utc" + by);
    database.execute("UPDATE inbox_processed SET processed_on_utc = processed_on_utc" + by);
    database.execute("UPDATE inbox_dead SET dead_on_utc = dead_on_utc" + by);
    database.execute("UPDATE inbox_interventions SET done_on_utc = done_on_utc" + by);
    database.execute("UPDATE inbox_quarantine SET quarantined_on_utc = quarantined_on_utc" + by);
    database.execute("UPDATE inbox_archive SET archived_on_utc = archived_on_utc" + by);
  }

  private RetentionReport run(Retention retention) {
    return store.retain(ORDERS, retention, false, soFar -> true);
  }

  private List<StoreResult> receive(int count) {
    return store.receive(Messages.ENDPOINT, Messages.events(count));
  }

  private List<String> statuses() {
    return database.texts("SELECT status FROM inbox ORDER BY seq");
  }

  @Test
  void whatIsOldAndProcessedGoesAndNothingElse() {
    store.receive(
        Messages.ENDPOINT,
        List.<ValidatedDelivery>of(Messages.event(0), Messages.rejected("x", "no")));
    Messages.settle(store, 1, Outcome.Processed::new);
    receive(4);
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "no stock"));
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ofHours(1), "not yet"));
    try (var transaction = store.begin(Messages.ENDPOINT)) {
      transaction.lease(transaction.claim(Messages.TYPES, 1), Duration.ofHours(1));
      transaction.commit(List.of());
    }
    age(365);
    store.receive(
        Messages.ENDPOINT, List.<ValidatedDelivery>of(Messages.event(4), Messages.event(5)));
    Messages.settle(store, 1, Outcome.Processed::new);
    assertThat(statuses())
        .containsExactly("processed", "dead", "retrying", "pending", "processed", "pending");

    RetentionReport report = run(WEEK);

    assertThat(report.removed()).isEqualTo(1);
    assertThat(statuses()).containsExactly("dead", "retrying", "pending", "processed", "pending");
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM inbox_quarantine")).isEqualTo(1);
    assertThat(run(WEEK).hasChanges()).isFalse();
  }

  @Test
  void aRepeatedDeliveryIsADuplicateUntilTheMessageIsRemoved() {
    processed(3, 6);
    run(WEEK);
    assertThat(receive(3)).containsOnly(StoreResult.DUPLICATE);
    age(2);
    run(WEEK);
    assertThat(receive(3)).containsOnly(StoreResult.STORED);
  }

  @Test
  void anIdentityIsKeptForTheDedupWindowWithoutItsBody() {
    Retention retention = WEEK.dedupWindow(Duration.ofDays(30));
    processed(3, 8);
    assertThat(run(retention).emptied()).isEqualTo(3);
    assertThat(database.count("SELECT sum(length(body)) FROM inbox_messages")).isZero();
    assertThat(statuses()).isEmpty();
    assertThat(receive(3)).containsOnly(StoreResult.DUPLICATE);
    assertThat(database.count("SELECT count(*) FROM inbox_quarantine")).isZero();
    assertThat(run(retention).hasChanges()).isFalse();
    age(21);
    assertThat(run(retention).hasChanges()).isFalse();
    age(2);
    assertThat(run(retention).removed()).isEqualTo(3);
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isZero();
    assertThat(receive(3)).containsOnly(StoreResult.STORED);
  }

  @Test
  void theArchiveHasWhatWasRemovedForItsOwnTime() {
    Retention retention = WEEK.archive(Duration.ofDays(100));
    processed(50, 8);
    RetentionReport report = run(retention);
    assertThat(report.archived()).isEqualTo(50);
    assertThat(report.removed()).isEqualTo(50);
    assertThat(
            database.texts(
                "SELECT message_id || ' ' || convert_from(body, 'UTF8') || ' ' || attempts"
                    + " FROM inbox_archive WHERE processed_on_utc < now() ORDER BY seq LIMIT 2"))
        .containsExactly(Messages.id(0) + " {\"n\":0} 1", Messages.id(1) + " {\"n\":1} 1");
    age(99);
    assertThat(run(retention).expired()).isZero();
    age(2);
    assertThat(run(retention).expired()).isEqualTo(50);
    assertThat(database.count("SELECT count(*) FROM inbox_archive")).isZero();
  }

  @Test
  void whatIsEmptiedIsArchivedOnce() {
    Retention retention = WEEK.dedupWindow(Duration.ofDays(30)).archive(Duration.ofDays(100));
    processed(50, 8);
    assertThat(run(retention).archived()).isEqualTo(50);
    age(25);
    assertThat(run(retention).archived()).isZero();
    assertThat(database.count("SELECT count(DISTINCT body) FROM inbox_archive")).isEqualTo(50);
    assertThat(database.count("SELECT count(*) FROM inbox_messages")).isZero();
  }

  @Test
  void partitionsAreCreatedAheadAndDroppedAsAWhole() {
    assertThat(run(WEEK).hasChanges()).isFalse();
    assertThat(partitions()).hasSize(9).contains("inbox_processed_default");
    oldPartition(10);
    processed(100, 10);
    assertThat(database.count("SELECT count(*) FROM inbox_processed_old")).isEqualTo(100);

    RetentionReport report = run(WEEK);

    assertThat(report.partitionsDropped()).isEqualTo(1);
    assertThat(report.removed()).isEqualTo(100);
    assertThat(partitions()).hasSize(9).doesNotContain("inbox_processed_old");
    assertThat(database.count("SELECT count(*) FROM inbox_messages")).isZero();
    assertThat(
            database.count(
                "SELECT count(*) FROM inbox_retention_progress WHERE source LIKE '%old'"))
        .isZero();
  }

  @Test
  void partitionsOfTheArchiveAreDroppedAsAWhole() {
    Retention retention = WEEK.archive(Duration.ofDays(100));
    processed(5, 8);
    run(retention);
    age(20);
    database.execute(
        "CREATE TABLE inbox_archive_old PARTITION OF inbox_archive FOR VALUES"
            + " FROM ('2000-01-01') TO ('2001-01-01')");
    database.execute("UPDATE inbox_archive SET archived_on_utc = '2000-06-01'");
    RetentionReport report = run(retention);
    assertThat(report.partitionsDropped()).isEqualTo(1);
    assertThat(report.expired()).isZero();
    assertThat(database.count("SELECT count(*) FROM inbox_archive")).isZero();
  }

  /** A partition of the day so long ago, and the two days around it. */
  private void oldPartition(int daysAgo) {
    String day = "current_date - %d".formatted(daysAgo);
    database.execute(
        """
        DO $$ BEGIN EXECUTE format(
          'CREATE TABLE inbox_processed_old PARTITION OF inbox_processed FOR VALUES FROM (%%L) TO (%%L)',
          %1$s - 1, %1$s + 2); END $$
        """
            .formatted(day));
  }

  private List<String> partitions() {
    return database.texts(
        "SELECT inhrelid::regclass::text FROM pg_inherits"
            + " WHERE inhparent = 'inbox_processed'::regclass");
  }

  @Test
  void aTransactionThatHoldsLocksDelaysADropAndNobodyWaits() throws Exception {
    oldPartition(10);
    processed(20, 10);
    receive(30);
    try (Connection reader = database.dataSource().getConnection()) {
      reader.setAutoCommit(false);
      reader.createStatement().executeQuery("SELECT count(*) FROM inbox").close();
      Future<RetentionReport> running = threads.submit(() -> run(WEEK));
      int processed = 0;
      long longest = 0;
      while (!running.isDone()) {
        long begin = System.nanoTime();
        processed += Messages.settle(store, 1, Outcome.Processed::new).size();
        longest = Math.max(longest, System.nanoTime() - begin);
      }
      assertThat(running.get().removed()).isEqualTo(20);
      assertThat(running.get().partitionsDropped()).isZero();
      assertThat(processed).isPositive();
      assertThat(Duration.ofNanos(longest)).isLessThan(Duration.ofSeconds(2));
      reader.rollback();
    }
    assertThat(run(WEEK).partitionsDropped()).isEqualTo(1);
  }

  @Test
  void aPendingTransactionOfAHandlerIsNotWaitedFor() {
    processed(20, 10);
    receive(21);
    try (var transaction = store.begin(Messages.ENDPOINT)) {
      List<ClaimedMessage> claimed = transaction.claim(Messages.TYPES, 1);
      assertThat(run(WEEK).removed()).isEqualTo(20);
      transaction.commit(List.of(new Outcome.Processed(claimed.get(0).sequence())));
    }
    assertThat(statuses()).containsExactly("processed");
  }

  @Test
  void ofTwoRetentionRunsOneDoesTheWork() throws Exception {
    processed(200, 8);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    Future<RetentionReport> first =
        threads.submit(
            () ->
                store.retain(
                    ORDERS,
                    WEEK,
                    false,
                    soFar -> {
                      begun.countDown();
                      await(over);
                      return true;
                    }));
    begun.await();
    try (JdbiInboxStore another = Messages.store(database)) {
      RetentionReport second = another.retain(ORDERS, WEEK, false, soFar -> true);
      assertThat(second.ran()).isFalse();
      assertThat(second.hasChanges()).isFalse();
      over.countDown();
      assertThat(first.get().removed()).isEqualTo(200);
      assertThat(another.retain(ORDERS, WEEK, false, soFar -> true).ran()).isTrue();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aRunThatIsStoppedLeavesWholeMessagesAndTheNextGoesOn() {
    oldPartition(10);
    processed(200, 10);
    RetentionReport stopped = store.retain(ORDERS, WEEK, false, soFar -> soFar.removed() == 0);
    assertThat(stopped.removed()).isBetween(1L, 199L);
    assertThat(stopped.partitionsDropped()).isZero();
    assertThat(
            database.count(
                "SELECT position FROM inbox_retention_progress WHERE source LIKE '%old'"))
        .isEqualTo(stopped.removed());
    RetentionReport rest = run(WEEK);
    assertThat(rest.removed() + stopped.removed()).isEqualTo(200);
    assertThat(rest.partitionsDropped()).isEqualTo(1);
  }

  @Test
  void anInterruptEndsARunAfterItsStep() {
    processed(200, 8);
    RetentionReport stopped =
        store.retain(
            ORDERS,
            WEEK,
            false,
            soFar -> {
              Thread.currentThread().interrupt();
              return true;
            });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(stopped.removed()).isLessThan(200);
    assertThat(run(WEEK).removed() + stopped.removed()).isEqualTo(200);
  }

  @Test
  void aLostConnectionEndsARunAndFreesItsPlace() {
    processed(200, 8);
    assertThatThrownBy(
            () ->
                store.retain(
                    ORDERS,
                    WEEK,
                    false,
                    soFar -> {
                      if (soFar.removed() > 0) {
                        database.terminate(retentionSession());
                      }
                      return true;
                    }))
        .isInstanceOf(StoreUnavailableException.class);
    long left = database.count("SELECT count(*) FROM inbox_messages");
    assertThat(left).isBetween(1L, 199L);
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(left);
    assertThat(run(WEEK).removed()).isEqualTo(left);
  }

  private int retentionSession() {
    return database.one(
        Integer.class,
        "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query ILIKE 'commit%'"
            + " AND datname = current_database() ORDER BY state_change DESC LIMIT 1");
  }

  @Test
  void whatIsProcessedLateGoesLate() {
    receive(1);
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "no stock"));
    store.receive(Messages.ENDPOINT, Messages.events(300).subList(1, 300));
    Messages.settle(store, 300, Outcome.Processed::new);
    age(100);
    assertThat(run(WEEK).removed()).isEqualTo(299);
    store.replayDead(MessageFilter.all(), "anna", 0, 10);
    Messages.settle(store, 1, Outcome.Processed::new);
    age(8);
    assertThat(run(WEEK).removed()).isZero();
    database.execute(
        "UPDATE inbox_retention_progress SET began_on_utc = now() - interval '25 hours'");
    assertThat(run(WEEK).removed()).isEqualTo(1);
  }

  @Test
  void aDiscardedMessageGoesAndWhoDiscardedItIsKnownForAsLongAsAsked() {
    Retention retention = WEEK.archive(Duration.ofDays(100));
    receive(3);
    Messages.settle(store, 3, it -> new Outcome.Dead(it, "no stock"));
    store.discardDead(MessageFilter.all(), "anna", 0, 2);
    age(8);
    RetentionReport report = run(retention);
    assertThat(report.removed()).isEqualTo(2);
    assertThat(report.archived()).isEqualTo(2);
    assertThat(statuses()).containsExactly("dead");
    age(300);
    run(retention);
    assertThat(database.count("SELECT count(*) FROM inbox_interventions")).isEqualTo(2);
    assertThat(run(retention.history(Duration.ofDays(200))).forgotten()).isEqualTo(2);
    assertThat(database.count("SELECT count(*) FROM inbox_interventions")).isZero();
  }

  @Test
  void aMessageThatWasPendingAndDiscardedGoesTheSameWay() {
    receive(2);
    store.discardPending(MessageFilter.all(), "anna", 0, 1);
    age(8);
    assertThat(run(WEEK).removed()).isEqualTo(1);
    assertThat(statuses()).containsExactly("pending");
    assertThat(run(WEEK.history(Duration.ofDays(7))).forgotten()).isEqualTo(1);
  }

  @Test
  void manyRowsAreRemovedInSteps() {
    processed(3_000, 8);
    int[] steps = {0};
    RetentionReport report =
        store.retain(
            ORDERS,
            WEEK,
            false,
            soFar -> {
              steps[0]++;
              return true;
            });
    assertThat(report.removed()).isEqualTo(3_000);
    assertThat(steps[0]).isGreaterThan(5);
  }

  @Test
  void whatALookerOnThrowsChangesNothing() {
    processed(100, 8);
    RetentionReport report =
        new RetentionRunner(store, ORDERS, WEEK)
            .run(soFar -> Sneaky.raise(new IOException("a full disk, say")));
    assertThat(report.removed()).isEqualTo(100);
  }

  @Test
  void messagesThatAreKeptForeverAreNeverRemoved() {
    assertThatThrownBy(() -> run(Retention.forever()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("forever")
        .hasMessageContaining("Retention.days(7)");
  }
}
