package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services with tables in common, of which each keeps its messages as long as it likes. */
@Tag("slow")
@Timeout(60)
class SharedRetentionTest {

  private static final String BILLING = "billing";
  private static final String SHIPPING = "shipping";
  private static final Retention WEEK = Retention.days(7);
  private static final Retention MONTH = Retention.days(30);

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);
  private final List<Service> services = new ArrayList<>();

  @AfterEach
  void close() {
    services.forEach(Service::close);
    store.close();
  }

  private Service service(String queue, Retention retention) {
    Service service =
        Service.with(
            database,
            builder ->
                builder
                    .retention(retention)
                    .subscribe(queue, it -> it.on(Created.class, Service::effect)));
    services.add(service);
    return service.start();
  }

  private void declare(String endpoint, Retention retention) {
    store.declareRetention(Set.of(endpoint), retention);
  }

  private RetentionReport run() {
    return store.retain(soFar -> true);
  }

  /** This many messages, from 0 on, processed so long ago. */
  private void processed(String endpoint, int count, int daysAgo) {
    settled(endpoint, count, Outcome.Processed::new);
    age(daysAgo);
  }

  private void settled(String endpoint, int count, Function<Long, Outcome> outcome) {
    List<ValidatedDelivery> events = Messages.events(count);
    store.receive(endpoint, events);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      List<ClaimedMessage> messages = transaction.claim(Messages.TYPES, count);
      transaction.commit(messages.stream().map(it -> outcome.apply(it.sequence())).toList());
    }
  }

  /** Makes all that is there older. */
  private void age(int days) {
    String by = " - interval '%d days'".formatted(days);
    database.execute("UPDATE inbox_messages SET received_on_utc = received_on_utc" + by);
    database.execute("UPDATE inbox_processed SET processed_on_utc = processed_on_utc" + by);
    database.execute("UPDATE inbox_interventions SET done_on_utc = done_on_utc" + by);
    database.execute("UPDATE inbox_archive SET archived_on_utc = archived_on_utc" + by);
  }

  /** As if nobody had said for so long how long messages are to be kept. */
  private void unheardFor(String endpoint, Retention retention, String time) {
    database.execute(
        "UPDATE inbox_retention_policy SET renewed_on_utc = renewed_on_utc - ?::interval,"
            + " missed_on_utc = missed_on_utc - ?::interval"
            + " WHERE endpoint = ? AND keep = make_interval(hours => ?)",
        time,
        time,
        endpoint,
        (int) retention.keep().toHours());
  }

  private long messages(String endpoint) {
    return database.count("SELECT count(*) FROM inbox_messages WHERE endpoint = ?", endpoint);
  }

  private void oldPartition() {
    database.execute(
        """
        DO $$ BEGIN EXECUTE format(
          'CREATE TABLE inbox_processed_old PARTITION OF inbox_processed FOR VALUES FROM (%L) TO (%L)',
          current_date - 12, current_date - 8); END $$
        """);
  }

  @Test
  void aNeighbourThatKeepsForeverHandlesARepeatedDeliveryOnce() {
    Service forever = service(SHIPPING, Retention.forever());
    Service week = service(BILLING, WEEK);
    forever.transport.deliver(SHIPPING, Service.deliveries(3));
    week.transport.deliver(BILLING, Service.deliveries(3));
    await().until(() -> database.count("SELECT count(*) FROM inbox_processed") == 6);
    age(8);

    assertThat(week.inbox.retention().run().removed()).isEqualTo(3);

    forever.transport.deliver(SHIPPING, Service.deliveries(3));
    assertThat(messages(BILLING)).isZero();
    assertThat(messages(SHIPPING)).isEqualTo(3);
    assertThat(database.count("SELECT count(*) FROM inbox_pending")).isZero();
    assertThat(database.effects()).hasSize(6);
  }

  @Test
  void theLongestWindowHoldsWhileProcessesAreReplacedOneByOne() {
    Service old = service(BILLING, WEEK);
    service(BILLING, WEEK.dedupWindow(Duration.ofDays(30)));
    old.transport.deliver(BILLING, Service.deliveries(3));
    await().until(() -> database.count("SELECT count(*) FROM inbox_processed") == 3);
    age(8);

    assertThat(old.inbox.retention().run().removed()).isZero();

    old.transport.deliver(BILLING, Service.deliveries(3));
    assertThat(database.count("SELECT count(*) FROM inbox_pending")).isZero();
    assertThat(database.effects()).hasSize(3);
  }

  @Test
  void aProcessThatHandlesMessagesSaysHowLongItKeepsThemWhenItStarts() {
    Service service =
        Service.with(
            database,
            builder ->
                builder
                    .subscribe(BILLING, it -> it.on(Created.class, Service::effect))
                    .subscribe(SHIPPING, it -> it.receive(Created.class)));
    services.add(service);
    service.inbox.startReceiving();
    assertThat(store.declaredRetention()).isEmpty();
    service.inbox.startProcessing();
    assertThat(store.declaredRetention()).hasSize(1).containsEntry(BILLING, WEEK);
    assertThat(service.inbox.retention().retention()).isEqualTo(WEEK);
    service("audit", Retention.forever());
    assertThat(store.declaredRetention()).containsEntry("audit", Retention.forever());
  }

  @Test
  void anEndpointOfWhichNobodyHasSaidAnythingIsLeftAlone() {
    declare(BILLING, WEEK);
    processed(BILLING, 3, 100);
    processed(SHIPPING, 3, 100);
    assertThat(run().removed()).isEqualTo(3);
    assertThat(messages(SHIPPING)).isEqualTo(3);
    assertThat(store.retain(Set.of(SHIPPING), WEEK, false, soFar -> true).removed()).isEqualTo(3);
  }

  @Test
  void whoAsksForLessGetsItByForceOnly() {
    declare(BILLING, Retention.forever());
    declare(SHIPPING, MONTH);
    processed(BILLING, 3, 0);
    processed(SHIPPING, 3, 10);
    assertThat(store.retain(Set.of(BILLING), WEEK, false, soFar -> true).hasChanges()).isFalse();
    assertThat(store.retain(Set.of(BILLING), WEEK, true, soFar -> true).removed()).isEqualTo(3);
    assertThat(messages(SHIPPING)).isEqualTo(3);
  }

  @Test
  void aPartitionIsDroppedWhenNobodyKeepsAnythingInIt() {
    oldPartition();
    declare(BILLING, WEEK);
    declare(SHIPPING, MONTH);
    processed(SHIPPING, 40, 0);
    processed(BILLING, 300, 10);

    RetentionReport first = run();

    assertThat(first.removed()).isEqualTo(300);
    assertThat(first.partitionsDropped()).isZero();
    assertThat(database.count("SELECT count(*) FROM inbox_processed_old"))
        .as("rows of messages that are gone do not stay with those of others")
        .isEqualTo(40);
    assertThat(run().hasChanges()).isFalse();
    unheardFor(SHIPPING, MONTH, "25 hours");
    run();
    unheardFor(SHIPPING, MONTH, "2 hours");
    declare(SHIPPING, WEEK);
    RetentionReport second = run();
    assertThat(second.removed()).isEqualTo(40);
    assertThat(second.partitionsDropped()).isEqualTo(1);
  }

  @Test
  void aShorterRetentionHoldsWhenTheLastProcessWithTheLongerOneIsGone() {
    declare(BILLING, MONTH);
    declare(BILLING, WEEK);
    processed(BILLING, 3, 8);
    assertThat(run().removed()).isZero();
    unheardFor(BILLING, MONTH, "23 hours");
    assertThat(run().removed()).isZero();
    unheardFor(BILLING, MONTH, "2 hours");
    assertThat(run().removed()).as("it may say so again yet").isZero();
    unheardFor(BILLING, MONTH, "2 hours");
    assertThat(run().removed()).isEqualTo(3);
  }

  @Test
  void whoSaysAgainHowLongItKeepsMessagesAfterAJumpOfTheClockIsHeard() {
    declare(BILLING, MONTH);
    declare(BILLING, WEEK);
    processed(BILLING, 3, 8);
    unheardFor(BILLING, MONTH, "3 days");
    assertThat(run().removed()).isZero();
    declare(BILLING, MONTH);
    unheardFor(BILLING, MONTH, "2 hours");
    assertThat(run().removed()).isZero();
    unheardFor(BILLING, MONTH, "-10 days");
    assertThat(run().removed()).isZero();
    unheardFor(BILLING, MONTH, "2 hours");
    assertThat(run().removed()).as("what was said in the future ends, too").isEqualTo(3);
  }

  @Test
  void whoWantsToKeepMessagesLongerIsHeardInTheMidstOfARun() {
    declare(BILLING, WEEK);
    processed(BILLING, 300, 8);
    RetentionReport report =
        store.retain(
            soFar -> {
              declare(BILLING, MONTH);
              return true;
            });
    assertThat(report.removed()).isBetween(1L, 299L);
    assertThat(messages(BILLING)).isEqualTo(300 - report.removed());
    assertThat(run().hasChanges()).isFalse();
  }

  @Test
  void theArchiveIsKeptAsEachEndpointLikes() {
    Retention year = WEEK.archive(Duration.ofDays(365));
    Retention fortnight = WEEK.archive(Duration.ofDays(14));
    declare(BILLING, fortnight);
    declare(SHIPPING, year);
    declare("audit", WEEK);
    for (String endpoint : List.of(BILLING, SHIPPING, "audit")) {
      processed(endpoint, 3, 8);
    }
    assertThat(run().archived()).isEqualTo(6);
    database.execute(
        "CREATE TABLE inbox_archive_old PARTITION OF inbox_archive FOR VALUES"
            + " FROM ('2000-01-01') TO ('2001-01-01')");
    age(20);
    assertThat(run().expired()).isEqualTo(3);
    assertThat(database.texts("SELECT DISTINCT endpoint FROM inbox_archive"))
        .containsExactly(SHIPPING);
    database.execute("UPDATE inbox_archive SET archived_on_utc = '2000-06-01'");
    declare(SHIPPING, WEEK.archive(Duration.ofDays(36_500)));
    assertThat(run().partitionsDropped()).as("it has what somebody keeps").isZero();
  }

  @Test
  void whatPeopleDidIsKnownForAsLongAsEachEndpointLikes() {
    declare(BILLING, WEEK.history(Duration.ofDays(14)));
    declare(SHIPPING, WEEK);
    for (String endpoint : List.of(BILLING, SHIPPING)) {
      settled(endpoint, 2, it -> new Outcome.Dead(it, "no stock"));
    }
    store.discardDead(MessageFilter.all(), "anna", 0, 10);
    age(20);
    RetentionReport report = run();
    assertThat(report.removed()).isEqualTo(4);
    assertThat(report.forgotten()).isEqualTo(2);
    assertThat(database.texts("SELECT DISTINCT endpoint FROM inbox_interventions"))
        .containsExactly(SHIPPING);
  }

  @Test
  void aBodyIsKeptAsLongAsEachEndpointLikes() {
    declare(BILLING, Retention.days(2).dedupWindow(Duration.ofDays(30)));
    declare(SHIPPING, Retention.days(9).dedupWindow(Duration.ofDays(30)));
    for (String endpoint : List.of(BILLING, SHIPPING)) {
      processed(endpoint, 2, 4);
    }
    assertThat(run().emptied()).isEqualTo(2);
    assertThat(database.texts("SELECT DISTINCT endpoint FROM inbox_messages WHERE emptied"))
        .containsExactly(BILLING);
    assertThat(store.receive(BILLING, Messages.events(2))).containsOnly(StoreResult.DUPLICATE);
    age(6);
    database.execute(
        "UPDATE inbox_retention_progress SET began_on_utc = now() - interval '25 hours'");
    assertThat(run().emptied()).isEqualTo(2);
  }

  @Test
  void aRetentionRunThatIsGoneIsFollowedByAnotherWhateverTheClockSays() {
    declare(BILLING, WEEK);
    processed(BILLING, 3, 8);
    String lease =
        "INSERT INTO inbox_retention_lease VALUES (true, gen_random_uuid(), now() + ?::interval)";
    database.execute(lease, "1 minute");
    assertThat(run().ran()).isFalse();
    database.execute("UPDATE inbox_retention_lease SET until_on_utc = now() + interval '1 year'");
    assertThat(run().ran()).isTrue();
    database.execute(lease, "-1 second");
    assertThat(run().ran()).isTrue();
    assertThat(database.count("SELECT count(*) FROM inbox_retention_lease")).isZero();
  }

  @Test
  void aRetentionRunWhoseLeaseWasTakenStops() {
    declare(BILLING, WEEK);
    processed(BILLING, 300, 8);
    RetentionReport report =
        store.retain(
            soFar -> {
              database.execute("UPDATE inbox_retention_lease SET holder = gen_random_uuid()");
              return true;
            });
    assertThat(report.removed()).isBetween(1L, 299L);
    database.execute("DELETE FROM inbox_retention_lease");
    assertThat(run().removed()).isEqualTo(300 - report.removed());
  }
}
