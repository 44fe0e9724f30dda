package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.error.InboxException;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.transport.OutgoingMessage;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a role must be able to do shows when the store is opened, not when something goes wrong. */
class RoleRightsTest {

  private static final List<String> RECEIVING =
      List.of(
          "SELECT ON inbox_migrations",
          "SELECT, INSERT ON inbox_messages",
          "INSERT ON inbox_pending",
          "SELECT, INSERT ON inbox_quarantine");
  private static final List<String> PROCESSING =
      List.of(
          "SELECT ON inbox_migrations, inbox_messages, inbox_paused",
          "SELECT, UPDATE, DELETE ON inbox_pending",
          "INSERT ON inbox_processed",
          "SELECT, INSERT ON inbox_dead",
          "SELECT, INSERT, DELETE ON inbox_attempts");

  private static final List<String> PUBLISHING =
      List.of(
          "SELECT ON inbox_migrations",
          "INSERT ON outbox_messages, outbox_scheduled",
          "USAGE ON SEQUENCE outbox_seq");
  private static final List<String> SENDING =
      List.of(
          "SELECT ON inbox_migrations",
          "SELECT, INSERT, DELETE ON outbox_messages",
          "SELECT, INSERT, UPDATE, DELETE ON outbox_scheduled, outbox_relay",
          "SELECT, INSERT ON outbox_dead",
          "USAGE ON SEQUENCE outbox_seq");

  private final TestDatabase database = TestDatabase.fresh();
  private final String role = database.texts("SELECT current_schema()").get(0) + "_role";

  @BeforeEach
  void createRole() {
    database.execute("CREATE ROLE " + role + " LOGIN");
    database.execute("GRANT USAGE ON SCHEMA \"%s\" TO %s".formatted(schema(), role));
  }

  @AfterEach
  void dropRole() {
    database.execute("DROP OWNED BY " + role);
    database.execute("DROP ROLE " + role);
  }

  @Test
  void aRoleThatOnlyReceivesNeedsNoMoreThanStoringTakes() {
    grant(RECEIVING);
    try (JdbiInboxStore store = opened()) {
      store.receive(
          Messages.ENDPOINT, List.of(Messages.event(0), Messages.rejected("unknown", "unknown")));
    }
    assertThat(database.count("SELECT count(*) FROM inbox_pending")).isOne();
    assertThat(database.count("SELECT count(*) FROM inbox_quarantine")).isOne();
  }

  @Test
  void aRoleThatOnlyHandlesMessagesNeedsNoMoreThanTheirOutcomesTake() {
    Service.store(database, 3);
    grant(PROCESSING);
    try (JdbiInboxStore store = opened()) {
      Messages.settle(store, 1, Outcome.Processed::new);
      Messages.settle(store, 1, seq -> new Outcome.Retry(seq, Duration.ofHours(1), "it failed"));
      Messages.settle(store, 1, seq -> new Outcome.Dead(seq, "it failed"));
    }
    assertThat(database.texts("SELECT status FROM inbox ORDER BY status"))
        .containsExactly("dead", "processed", "retrying");
  }

  @Test
  void aRoleThatOnlyPublishesNeedsNoMoreThanStoringTakes() {
    grant(PUBLISHING);
    try (JdbiInboxStore store = opened()) {
      OutgoingMessage message = Outgoing.keyed(1, "key");
      store.publish(
          List.of(
              StoredOutgoing.now(message), new StoredOutgoing(message, Duration.ofHours(1), null)));
    }
    assertThat(database.count("SELECT count(*) FROM outbox_messages")).isOne();
    assertThat(database.count("SELECT count(*) FROM outbox_scheduled")).isOne();
  }

  @Test
  void aRoleThatOnlySendsNeedsNoMoreThanThat() {
    try (JdbiInboxStore store = Messages.store(database)) {
      store.publish(
          List.of(
              StoredOutgoing.now(Outgoing.message(1)),
              new StoredOutgoing(Outgoing.keyed(2, "key"), Duration.ofMillis(1), null)));
    }
    grant(SENDING);
    UUID relay = UUID.randomUUID();
    try (JdbiInboxStore store = opened();
        OutboxReader reader = store.openOutbox()) {
      assertThat(store.leadRelay(relay, Duration.ofMinutes(1))).isTrue();
      await().until(() -> reader.releaseDue() == 1);
      List<OutboxReader.Entry> entries = reader.next(10, 1_000);
      reader.settle(
          List.of(entries.get(0).sequence()),
          List.of(
              new OutboxReader.Undeliverable(
                  entries.get(1).sequence(), OutboxReader.Reason.UNROUTABLE, "no queue")));
      store.resignRelay(relay);
      assertThat(store.outboxStatus().dead()).isOne();
    }
    assertThat(database.count("SELECT count(*) FROM outbox_messages")).isZero();
    assertThat(database.count("SELECT count(*) FROM outbox_dead")).isOne();
  }

  @Test
  void aRoleThatOnlyReadsOpensTheStore() {
    database.execute("GRANT SELECT ON ALL TABLES IN SCHEMA \"%s\" TO %s".formatted(schema(), role));
    Service.store(database, 1);
    try (JdbiInboxStore store = opened()) {
      assertThat(store.listPending(MessageFilter.all(), 10)).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "inbox_pending, INSERT",
    "inbox_quarantine, INSERT",
    "inbox_messages, SELECT",
    "inbox_pending, DELETE",
    "inbox_dead, INSERT",
    "inbox_attempts, INSERT",
    "inbox_attempts, DELETE",
    "inbox_paused, SELECT",
    "outbox_scheduled, INSERT",
    "outbox_seq, USAGE",
    "outbox_messages, DELETE",
    "outbox_scheduled, UPDATE",
    "outbox_dead, INSERT",
    "outbox_relay, UPDATE"
  })
  void aRightThatIsMissingIsNamedWithTheStatementThatGrantsIt(String table, String privilege) {
    grant(RECEIVING);
    grant(PROCESSING);
    grant(PUBLISHING);
    grant(SENDING);
    String kind = table.equals("outbox_seq") ? "SEQUENCE " : "";
    database.execute("REVOKE %s ON %s%s FROM %s".formatted(privilege, kind, table, role));
    assertThatThrownBy(this::opened)
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("the role %s lacks rights", role)
        .hasMessageContaining("%s on %s", privilege, table)
        .satisfies(e -> database.execute(grantIn(e.getMessage())));
    opened().close();
  }

  @Test
  void allThatIsMissingIsNamedAtOnce() {
    grant(RECEIVING);
    grant(PROCESSING);
    database.execute("REVOKE INSERT, DELETE ON inbox_attempts FROM " + role);
    database.execute("REVOKE INSERT ON inbox_dead FROM " + role);
    assertThatThrownBy(this::opened)
        .hasMessageContaining("INSERT, DELETE on inbox_attempts, INSERT on inbox_dead");
  }

  private static String grantIn(String message) {
    Matcher grant = Pattern.compile("run (GRANT .*) \\(SECURITY").matcher(message);
    assertThat(grant.find()).isTrue();
    return grant.group(1);
  }

  private void grant(List<String> rights) {
    rights.forEach(it -> database.execute("GRANT %s TO %s".formatted(it, role)));
  }

  private String schema() {
    return database.texts("SELECT current_schema()").get(0);
  }

  private JdbiInboxStore opened() {
    String url = database.url().replaceFirst("user=[^&]*", "user=" + role);
    JdbiInboxStore store = JdbiInboxStore.create(PostgresServer.shared().dataSource(url));
    store.open();
    return store;
  }
}
