package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.LIMIT;
import static io.inbox4j.endtoend.Patience.eventually;
import static io.inbox4j.listener.Health.Status.DEGRADED;
import static io.inbox4j.listener.Health.Status.DOWN;
import static io.inbox4j.listener.Health.Status.UP;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.Health.Part;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.retry.WhenDead;
import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every fault shows within seconds, and so does its end. */
@Tag("slow")
class HealthTest {

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("health");

  @Test
  void anInboxThatWorksIsUpInAllItsParts() {
    try (Inbox inbox = Inboxes.recording(database, queue)) {
      assertThat(inbox.health().status()).isEqualTo(DOWN);
      assertThat(inbox.health().toString()).contains("is not started");
      inbox.start();
      eventually(() -> assertThat(inbox.health().isUp()).as("%s", inbox.health()).isTrue());
      assertThat(names(inbox.health()))
          .containsExactlyInAnyOrder(
              "database",
              "transactions",
              "lag",
              "stuck",
              "pause",
              "broker",
              "consumers",
              "workers",
              "publishing");
      eventually(
          () ->
              assertThat(inbox.health().toString())
                  .contains("The inbox is UP", "1 of 1 consumers", "4 of 4 workers", "answers in"));
      inbox.close();
      assertThat(inbox.health().status()).isEqualTo(DOWN);
      assertThat(inbox.health().toString()).contains("is closed");
    }
  }

  @Test
  void aProcessHasThePartsOfWhatItDoes() {
    try (Inbox receiver = Inboxes.recording(database, queue);
        Inbox worker = Inboxes.recording(database, queue)) {
      receiver.startReceiving();
      worker.startProcessing();
      eventually(
          () -> assertThat(names(receiver.health())).contains("broker").doesNotContain("workers"));
      eventually(
          () -> assertThat(names(worker.health())).contains("workers").doesNotContain("broker"));
      eventually(() -> assertThat(receiver.health().isUp()).isTrue());
      eventually(() -> assertThat(worker.health().isUp()).isTrue());
    }
  }

  private static List<String> names(Health health) {
    return health.parts().stream().map(Part::name).toList();
  }

  @Test
  void messagesThatAreNotHandledInTimeAreALag() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    try (Inbox inbox =
            inbox(
                subscription ->
                    subscription
                        .on(OrderPlaced.class, (event, context) -> goOn.await())
                        .maxLag(Duration.ofSeconds(1)));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      HealthWatch lag = HealthWatch.of(inbox, "lag", queue);
      lag.becomes(UP, "nothing is due");
      publisher.orders("o", 10);
      Part found = lag.becomes(DEGRADED, "allowed are 1 s");
      assertThat(inbox.health().status()).isEqualTo(DEGRADED);
      assertThat(lag.now().since()).isEqualTo(found.since());
      goOn.countDown();
      assertThat(lag.becomes(UP).since()).isAfter(found.since());
    }
  }

  @Test
  void aMessageThatKillsItsProcessAgainAndAgainIsStuck() throws Exception {
    try (Inbox inbox = inbox(subscription -> subscription.receive(OrderPlaced.class));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.startReceiving();
      publisher.order("poison");
      eventually(() -> assertThat(database.stored()).isOne());
      HealthWatch stuck = HealthWatch.of(inbox, "stuck", queue);
      stuck.becomes(UP);
      for (int i = 0; i < 2; i++) {
        try (ChildProcess worker =
            OrderService.worker(database, queue, "haltAt=poison", "attempts=9")) {
          worker.exitCode(LIMIT);
        }
      }
      assertThat(stuck.becomes(DEGRADED, "started 2 times without an outcome").detail())
          .contains(Publisher.idOf("poison").toString());
      try (ChildProcess worker = OrderService.worker(database, queue)) {
        worker.awaitLine("processed", LIMIT);
      }
      stuck.becomes(UP);
    }
  }

  @Test
  void aDeadMessageThatHoldsItsKeyIsStuckUntilItIsDiscarded() throws Exception {
    try (Inbox inbox =
            inbox(
                subscription ->
                    subscription
                        .on(
                            OrderPlaced.class,
                            (event, context) -> {
                              throw new IllegalStateException("broken");
                            })
                        .orderedBy(IntegrationEvent.class, event -> "key")
                        .whenDead(WhenDead.BLOCK_KEY)
                        .retry(RetryPolicy.immediate(1)));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      publisher.order("o");
      HealthWatch stuck = HealthWatch.of(inbox, "stuck", queue);
      assertThat(stuck.becomes(DEGRADED, "blocks its ordering key").detail())
          .contains(Publisher.idOf("o").toString());
      inbox.deadLetters().discard(io.inbox4j.operations.MessageFilter.all());
      stuck.becomes(UP);
    }
  }

  @Test
  void aTransactionThatIsHeldOpenIsNamedWithItsHolder() {
    try (Inbox inbox =
            Inboxes.on(database)
                .subscribe(queue, OrderPlaced.class, Effects::placed)
                .maxTransactionAge(Duration.ofSeconds(1))
                .build();
        Handle somebody = database.jdbi().open()) {
      inbox.startProcessing();
      HealthWatch transactions = HealthWatch.of(inbox, "transactions");
      transactions.becomes(UP);
      somebody.execute("SET application_name = 'report'");
      somebody.begin();
      somebody.execute("INSERT INTO effects VALUES ('held', 1)");
      assertThat(transactions.becomes(DEGRADED, "allowed are 1 s").detail())
          .contains("application 'report'", "idle in transaction")
          .doesNotContain("held'");
      somebody.rollback();
      transactions.becomes(UP);
    }
  }

  @Test
  void aRoleThatCannotSeeOthersTransactionsSaysSo() {
    database
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    "CREATE ROLE modest LOGIN; GRANT ALL ON DATABASE %1$s TO modest; GRANT ALL ON SCHEMA public TO modest"
                        .formatted(databaseName())));
    Database modest =
        new Database(database.url().replace("user=postgres", "user=modest"), database.jdbi());
    try (Inbox inbox = Inboxes.recording(modest, queue)) {
      inbox.startProcessing();
      HealthWatch.of(inbox, "transactions").becomes(UP, "the role modest sees its own only");
    }
  }

  private String databaseName() {
    return database.texts("SELECT current_database()").get(0);
  }

  @Test
  void aPauseIsToldWithWhoAndWhy() {
    try (Inbox inbox = Inboxes.recording(database, queue)) {
      inbox.start();
      HealthWatch pause = HealthWatch.of(inbox, "pause", queue);
      pause.becomes(UP);
      inbox.control(queue).pause("anna", "the price list is changed");
      pause.becomes(DEGRADED, "paused by anna");
      inbox.control(queue).resume();
      pause.becomes(UP);
    }
  }

  @Test
  void anOpenCircuitIsTold() throws Exception {
    AtomicBoolean failing = new AtomicBoolean(true);
    try (Inbox inbox =
            inbox(
                subscription ->
                    subscription
                        .on(
                            OrderPlaced.class,
                            (event, context) -> {
                              if (failing.get()) {
                                throw new IllegalStateException("the bank is away");
                              }
                            })
                        .retry(RetryPolicy.fixed(Duration.ofMillis(100)).maxAttempts(1_000))
                        .circuitBreaker(
                            CircuitBreaker.ofDefaults()
                                .minMessages(3)
                                .pause(Duration.ofMillis(1_500))));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      HealthWatch circuit = HealthWatch.of(inbox, "circuit", queue);
      circuit.becomes(UP, "is closed");
      publisher.orders("o", 10);
      circuit.becomes(DEGRADED, "is open");
      failing.set(false);
      circuit.becomes(UP, "is closed");
    }
  }

  @Test
  void aQueueThatIsGoneLeavesNoConsumers() throws Exception {
    Inboxes.declare(database, queue);
    try (Inbox inbox =
            inbox(
                subscription ->
                    subscription
                        .receive(OrderPlaced.class)
                        .consumers(2)
                        .topology(io.inbox4j.transport.Topology.existing()));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.startReceiving();
      HealthWatch consumers = HealthWatch.of(inbox, "consumers", queue);
      consumers.becomes(UP, "2 of 2 consumers");
      RabbitServer.shared().deleteQueue(queue);
      consumers.becomes(DOWN, "0 of 2 consumers");
      assertThat(HealthWatch.of(inbox, "broker", queue).now().status()).isEqualTo(UP);
      publisher.channel().queueDeclare(queue, true, false, false, java.util.Map.of());
      consumers.becomes(UP, "2 of 2 consumers");
    }
  }

  @Test
  void aPoolThatIsUsedUpIsTold() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    try (Inbox inbox =
            Inbox.builder()
                .store(
                    JdbiInboxStore.builder(database.url()).notifications(false).poolSize(2).build())
                .transport(RabbitTransport.connect(Inboxes.amqp()))
                .subscribe(
                    queue,
                    subscription ->
                        subscription
                            .on(OrderPlaced.class, (event, context) -> goOn.await())
                            .batchSize(1)
                            .concurrency(2))
                .build();
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      HealthWatch part = HealthWatch.of(inbox, "database");
      part.becomes(UP, "answers in");
      publisher.orders("o", 3);
      part.becomes(DOWN, "no answer for");
      part.becomes(DOWN, "active=2");
      goOn.countDown();
      part.becomes(UP, "answers in");
    }
  }

  @Test
  void aMissingTableIsTold() {
    try (Inbox inbox = inbox(subscription -> subscription.receive(OrderPlaced.class))) {
      inbox.startReceiving();
      HealthWatch part = HealthWatch.of(inbox, "database");
      part.becomes(UP, "answers in");
      database.jdbi().useHandle(it -> it.execute("ALTER TABLE inbox_pending RENAME TO elsewhere"));
      part.becomes(DOWN, "inbox_pending\" does not exist");
      assertThat(HealthWatch.of(inbox, "lag", queue).becomes(UP, "not known for").detail())
          .contains("before that: nothing is due");
      database.jdbi().useHandle(it -> it.execute("ALTER TABLE elsewhere RENAME TO inbox_pending"));
      part.becomes(UP, "answers in");
    }
  }

  @Test
  void aDatabaseThatIsReadOnlyIsTold() {
    DataSource dataSource = PostgresServer.shared().dataSource(database.url());
    isToldWhileReadOnly(JdbiInboxStore.create(dataSource), "is read-only");
  }

  @Test
  void aDatabaseThatIsReadOnlyIsToldByAPoolThatLooksForThePrimary() {
    isToldWhileReadOnly(JdbiInboxStore.connect(database.url()), "targetServerType: primary");
  }

  private void isToldWhileReadOnly(JdbiInboxStore store, String detail) {
    try (Inbox inbox =
        Inbox.builder().store(store).subscribe(queue, OrderPlaced.class, Effects::placed).build()) {
      inbox.startProcessing();
      HealthWatch part = HealthWatch.of(inbox, "database");
      part.becomes(UP, "answers in");
      readOnly(true);
      part.becomes(DOWN, detail);
      readOnly(false);
      part.becomes(UP, "answers in");
    }
  }

  private void readOnly(boolean yes) {
    database
        .jdbi()
        .useHandle(
            handle -> {
              handle.execute("SET default_transaction_read_only = off");
              handle.execute(
                  "ALTER DATABASE %s SET default_transaction_read_only = %s"
                      .formatted(databaseName(), yes));
              handle.execute(
                  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                      + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            });
  }

  @Test
  void whoListensHearsOfEveryChange() {
    List<String> heard = new CopyOnWriteArrayList<>();
    try (Inbox inbox =
        Inboxes.on(database)
            .subscribe(queue, OrderPlaced.class, Effects::placed)
            .listener(
                new InboxListener() {
                  @Override
                  public void healthChanged(HealthChanged event) {
                    if (event.part().name().equals("pause")) {
                      heard.add(event.part().status() + " " + event.part().endpoint());
                    }
                  }
                })
            .build()) {
      inbox.start();
      HealthWatch pause = HealthWatch.of(inbox, "pause", queue);
      pause.becomes(UP);
      inbox.control(queue).pause("anna", "why not");
      pause.becomes(DEGRADED);
      inbox.control(queue).resume();
      pause.becomes(UP);
      eventually(() -> assertThat(heard).containsExactly("DEGRADED " + queue, "UP " + queue));
    }
  }

  @Test
  void watchingKeepsNoThreadAfterTheEnd() {
    try (Inbox inbox = inbox(subscription -> subscription.receive(OrderPlaced.class))) {
      inbox.startReceiving();
      eventually(() -> assertThat(watchers()).hasSizeGreaterThanOrEqualTo(2));
      assertThat(watchers()).allMatch(Thread::isDaemon);
    }
    eventually(() -> assertThat(watchers()).isEmpty());
  }

  private static List<Thread> watchers() {
    return new ArrayList<>(Thread.getAllStackTraces().keySet())
        .stream().filter(thread -> thread.getName().startsWith("inbox-health")).toList();
  }

  private Inbox inbox(Consumer<SubscriptionBuilder> subscription) {
    return Inboxes.on(database).subscribe(queue, subscription).build();
  }
}
