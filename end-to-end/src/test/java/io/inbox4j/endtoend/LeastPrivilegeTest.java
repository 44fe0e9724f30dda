package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.OutboxStatus;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.transport.OutgoingMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The roles that SECURITY.md describes, made by the very statements that stand there. */
@Tag("slow")
class LeastPrivilegeTest {

  private static PostgresServer postgres;
  private static Database database;
  private static Jdbi service;
  private static Jdbi dashboard;
  private static String serviceUrl;

  @BeforeAll
  static void createRoles() throws Exception {
    postgres = PostgresServer.start();
    database = Database.at(postgres.newDatabase());
    JdbiInboxStore.migrate(postgres.dataSource(database.url()));
    for (String script : documentedStatements()) {
      database.jdbi().useHandle(handle -> handle.createScript(script).execute());
    }
    run("CREATE ROLE billing LOGIN IN ROLE inbox_service");
    run("CREATE ROLE anna LOGIN IN ROLE inbox_dashboard");
    run("GRANT INSERT ON effects TO billing");
    serviceUrl = database.url().replaceFirst("user=[^&]*", "user=billing");
    service = Jdbi.create(serviceUrl);
    dashboard = Jdbi.create(database.url().replaceFirst("user=[^&]*", "user=anna"));
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  private static List<String> documentedStatements() throws Exception {
    String text = Files.readString(Path.of("..", "SECURITY.md"));
    List<String> scripts =
        Pattern.compile("^```sql\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(text)
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(scripts).hasSize(2);
    return scripts;
  }

  private static void run(String statement) {
    database.jdbi().useHandle(handle -> handle.execute(statement));
  }

  @Test
  void theServiceDoesAllItsWorkWithRightsOnRowsOnly() throws Exception {
    List<String> queues =
        List.of("least.transactional", "least.leased", "least.inline", "least.ordered");
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(serviceUrl))
            .transport(RabbitTransport.connect(Inboxes.amqp()))
            .subscribe(queues.get(0), orders(queue -> {}))
            .subscribe(queues.get(1), orders(queue -> queue.leased(Duration.ofSeconds(5))))
            .subscribe(queues.get(2), orders(SubscriptionBuilder::inline))
            .subscribe(
                queues.get(3),
                orders(
                    queue -> queue.orderedBy(IntegrationEvent.class, IntegrationEvent::toString)))
            .build()) {
      inbox.start();
      for (String queue : queues) {
        try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
          publisher.order("good");
          publisher.order("bad");
          publisher.order("good");
          publisher.send(Publisher.order(Publisher.idOf("x")), BadInput.bytes("rubbish"));
          publisher.confirm();
        }
      }
      eventually(() -> assertThat(database.effects()).isEqualTo(queues.size()));
      MessageFilter all = MessageFilter.all();
      eventually(() -> assertThat(inbox.deadLetters().list(all, 10)).hasSize(queues.size()));
      eventually(() -> assertThat(inbox.quarantine().list(all, 10)).hasSize(queues.size()));
      inbox.control(queues.get(0)).pause("anna", "to see whether it may");
      inbox.control(queues.get(0)).resume();
      assertThat(inbox.deadLetters().replay(all)).isEqualTo(queues.size());
      eventually(() -> assertThat(inbox.deadLetters().list(all, 10)).hasSize(queues.size()));
      assertThat(inbox.deadLetters().discard(all)).isEqualTo(queues.size());
      assertThat(inbox.quarantine().discard(all)).isEqualTo(queues.size());
    }
  }

  @Test
  void theServicePublishesAndSendsWithRightsOnRowsOnly() {
    OutgoingMessage message =
        new OutgoingMessage(
            UUID.randomUUID(),
            new OutgoingMessage.Topic("orders"),
            "orders.order-placed",
            "application/json",
            BadInput.bytes("{}"),
            Map.of(),
            null,
            null,
            "key",
            null,
            null);
    UUID relay = UUID.randomUUID();
    try (JdbiInboxStore store = JdbiInboxStore.connect(serviceUrl);
        OutboxReader reader = store.openOutbox()) {
      store.open();
      store.publish(
          List.of(
              StoredOutgoing.now(message),
              StoredOutgoing.now(message),
              new StoredOutgoing(message, Duration.ofHours(1), null)));
      assertThat(store.leadRelay(relay, Duration.ofMinutes(1))).isTrue();
      assertThat(store.reschedule(message.messageId(), Instant.EPOCH)).isTrue();
      assertThat(reader.releaseDue()).isOne();
      List<OutboxReader.Entry> entries = reader.next(10, 1_000);
      reader.settle(
          List.of(entries.get(0).sequence(), entries.get(1).sequence()),
          List.of(
              new OutboxReader.Undeliverable(
                  entries.get(2).sequence(), OutboxReader.Reason.UNROUTABLE, "no queue")));
      assertThat(store.outboxStatus()).isEqualTo(new OutboxStatus(0, null, 0, 1));
      store.resignRelay(relay);
    }
  }

  @Test
  void theServiceRemovesOldMessagesWithRightsOnRowsOnly() {
    String owner = postgres.newDatabase();
    JdbiInboxStore.migrate(postgres.dataSource(owner));
    Jdbi tables = Jdbi.create(owner);
    tables.useHandle(
        handle -> {
          handle.createScript(grants()).execute();
          handle.execute(
              "INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered,"
                  + " received_on_utc) SELECT 'q', gen_random_uuid(), 't', '{}', false,"
                  + " now() - interval '8 days' FROM generate_series(1, 100)");
          handle.execute(
              "INSERT INTO inbox_processed SELECT seq, 1, received_on_utc FROM inbox_messages");
        });
    String url = owner.replaceFirst("user=[^&]*", "user=billing");
    try (JdbiInboxStore store = JdbiInboxStore.connect(url)) {
      store.open();
      Retention retention = Retention.days(7).archive(Duration.ofDays(100));
      assertThat(store.retain(Set.of("q"), retention, false, soFar -> true))
          .extracting(RetentionReport::removed, RetentionReport::archived)
          .containsExactly(100L, 100L);
      assertThat(store.retain(Set.of("q"), retention, false, soFar -> true).hasChanges()).isFalse();
    }
    for (String table : List.of("inbox_messages", "inbox_processed")) {
      assertThat(
              tables.<Long, RuntimeException>withHandle(
                  handle -> handle.select("SELECT count(*) FROM " + table).mapTo(Long.class).one()))
          .isZero();
    }
  }

  /** The rights of the service, without the role that is there already. */
  private static String grants() {
    try {
      return documentedStatements().get(0).replaceAll("CREATE ROLE [^;]*;", "");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static Consumer<SubscriptionBuilder> orders(Consumer<SubscriptionBuilder> mode) {
    Consumer<SubscriptionBuilder> orders =
        queue ->
            queue.on(OrderPlaced.class, LeastPrivilegeTest::handle).retry(RetryPolicy.immediate(2));
    return orders.andThen(mode);
  }

  private static void handle(OrderPlaced event, EventContext context) throws Exception {
    if (event.order().equals("bad")) {
      throw new IllegalStateException("it is bad");
    }
    Effects.placed(event, context);
  }

  @TestFactory
  Stream<DynamicTest> theServiceMayNot() {
    return Stream.of(
            "CREATE TABLE intruder (id integer)",
            "DROP TABLE inbox_pending",
            "ALTER TABLE inbox_messages ADD COLUMN intruder integer",
            "TRUNCATE inbox_processed",
            "UPDATE inbox_messages SET body = ''",
            "UPDATE outbox_messages SET body = ''",
            "DROP TABLE inbox_archive",
            "DELETE FROM inbox_interventions",
            "INSERT INTO inbox_migrations (version, description) VALUES (99, 'forged')")
        .map(statement -> DynamicTest.dynamicTest(statement, () -> assertRefused(statement)));
  }

  private static void assertRefused(String statement) {
    assertThatThrownBy(() -> service.useHandle(handle -> handle.execute(statement)))
        .hasMessageMatching("(?s).*(permission denied|must be owner).*");
  }

  @Test
  void theDashboardSeesWhatHappensAndNoPayload() {
    for (String allowed :
        List.of(
            "SELECT endpoint, count(*) FROM inbox_pending GROUP BY endpoint",
            "SELECT endpoint, reason FROM inbox_quarantine",
            "SELECT endpoint, type, received_on_utc FROM inbox_messages")) {
      dashboard.useHandle(handle -> handle.createQuery(allowed).mapToMap().list());
    }
    for (String refused :
        List.of(
            "SELECT body FROM inbox_messages",
            "SELECT headers FROM inbox_quarantine",
            "SELECT error FROM inbox_dead",
            "SELECT content FROM inbox")) {
      assertThatThrownBy(
              () -> dashboard.useHandle(handle -> handle.createQuery(refused).mapToMap().list()))
          .hasMessageContaining("permission denied");
    }
  }

  @Test
  void aServiceWithoutTablesThatMayNotMigrateSaysSo() {
    String url = postgres.newDatabase().replaceFirst("user=[^&]*", "user=billing");
    assertThatThrownBy(() -> JdbiInboxStore.create(postgres.dataSource(url)).open())
        .isInstanceOf(InboxException.class)
        .hasMessageContaining(
            "the tables of the inbox are missing in the schema public, and this role may not")
        .hasMessageContaining("JdbiInboxStore.migrate(dataSource) as a role that may");
  }

  @Test
  void aServiceWithoutRightsOnTheTablesSaysSo() {
    String owner = postgres.newDatabase();
    JdbiInboxStore.migrate(postgres.dataSource(owner));
    String url = owner.replaceFirst("user=[^&]*", "user=billing");
    assertThatThrownBy(() -> JdbiInboxStore.create(postgres.dataSource(url)).open())
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("give this role the rights that SECURITY.md lists");
  }
}
