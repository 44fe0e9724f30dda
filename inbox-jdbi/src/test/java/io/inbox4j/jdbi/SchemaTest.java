package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.error.InboxException;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.testkit.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A schema of its own for the tables, whatever the search path is. */
@Timeout(60)
class SchemaTest {

  /** Its search path leads to the schema public only. */
  private final TestDatabase database = ofItsOwn();

  private static TestDatabase ofItsOwn() {
    String url = PostgresServer.shared().newDatabase();
    DataSource dataSource = PostgresServer.shared().dataSource(url);
    return new TestDatabase(url, dataSource, Jdbi.create(dataSource));
  }

  private JdbiInboxStore store(String schema) {
    JdbiInboxStore store = JdbiInboxStore.builder(database.dataSource()).schema(schema).build();
    store.open();
    return store;
  }

  private static DataSource withPath(TestDatabase database, String path) {
    return PostgresServer.shared().dataSource(database.url() + "&currentSchema=" + path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "inbox",
        "user",
        "_1",
        "a23456789_123456789_123456789_123456789_123456789_123456789_123"
      })
  void theSchemaIsCreatedAndHasEverything(String schema) {
    try (JdbiInboxStore store = store(schema)) {
      store.receive(Messages.ENDPOINT, Messages.events(2));
      assertThat(Messages.settle(store, 2, Outcome.Processed::new)).hasSize(2);
      store.retain(Set.of(Messages.ENDPOINT), Retention.days(1), false, soFar -> true);
    }
    assertThat(database.count("SELECT count(*) FROM \"" + schema + "\".inbox")).isEqualTo(2);
    assertThat(
            database.texts(
                "SELECT DISTINCT relnamespace::regnamespace::text FROM pg_class"
                    + " WHERE relname LIKE 'inbox%' AND relkind <> 't'"))
        .containsExactly(schema.equals("user") ? "\"user\"" : schema);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Inbox",
        "in-box",
        "1nbox",
        "in\"box",
        "in'box",
        "größe",
        "a23456789_123456789_123456789_123456789_123456789_123456789_1234"
      })
  void aNameThatPeopleWouldHaveToQuoteOrThatIsCutIsRefused(String name) {
    assertThatThrownBy(() -> JdbiInboxStore.builder(database.dataSource()).schema(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("schema is '%s'; expected lower-case letters", name)
        .hasMessageContaining("63");
  }

  @Test
  void aRoleThatMayNotCreateTheSchemaSaysSo() {
    database.execute("DROP ROLE IF EXISTS schema_test_nobody");
    database.execute("CREATE ROLE schema_test_nobody LOGIN");
    DataSource nobody =
        PostgresServer.shared()
            .dataSource(database.url().replaceFirst("user=[^&]*", "user=schema_test_nobody"));
    assertThatThrownBy(() -> JdbiInboxStore.migrate(nobody, "inbox"))
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("the schema inbox is missing, and this role may not")
        .hasMessageContaining("JdbiInboxStore.migrate(dataSource)");
    database.execute("CREATE SCHEMA inbox AUTHORIZATION schema_test_nobody");
    JdbiInboxStore.migrate(nobody, "inbox");
    assertThat(database.count("SELECT count(*) FROM inbox.inbox")).isZero();
  }

  @Test
  void aStoreThatOnlyChecksNamesTheSchema() {
    JdbiInboxStore.migrate(database.dataSource());
    assertThatThrownBy(
            JdbiInboxStore.builder(database.dataSource()).schema("inbox").migrate(false).build()
                ::open)
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("the tables of the inbox are missing in the schema inbox");
  }

  @Test
  void withoutOneTheTablesOnTheSearchPathAreUsed() {
    database.execute("CREATE SCHEMA \"First one\"");
    database.execute("CREATE SCHEMA second");
    JdbiInboxStore.migrate(withPath(database, "second"));
    try (JdbiInboxStore store =
        JdbiInboxStore.create(withPath(database, "%22First%20one%22,second"))) {
      store.open();
      store.receive(Messages.ENDPOINT, Messages.events(1));
    }
    assertThat(database.count("SELECT count(*) FROM second.inbox")).isEqualTo(1);
    try (JdbiInboxStore store = JdbiInboxStore.create(withPath(database, "%22First%20one%22"))) {
      store.open();
      store.receive(Messages.ENDPOINT, Messages.events(2));
    }
    assertThat(database.count("SELECT count(*) FROM \"First one\".inbox")).isEqualTo(2);
  }

  @Test
  void aSearchPathThatLeadsNowhereIsNamed() {
    assertThatThrownBy(() -> JdbiInboxStore.migrate(withPath(database, "nowhere")))
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("the search path 'nowhere' leads to no schema")
        .hasMessageContaining("schema(\"inbox\")");
  }

  @Test
  void aHandlerThatChangesTheSearchPathOutOfSightDoesNotSpoilTheCommit() {
    JdbiInboxStore.migrate(database.dataSource());
    database.execute("CREATE TABLE effects (name text NOT NULL)");
    database.execute(
        """
        CREATE FUNCTION get_lost() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM set_config('search_path', 'nowhere', true);
        END $$
        """);
    try (JdbiInboxStore store = JdbiInboxStore.create(database.dataSource())) {
      store.open();
      store.receive(Messages.ENDPOINT, Messages.events(1));
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        long sequence = transaction.claim(Messages.TYPES, 1).get(0).sequence();
        transaction.savepoint();
        Handle handle = transaction.unwrap(Handle.class);
        TestDatabase.effect(handle, "done");
        handle.execute("SELECT get_lost()");
        transaction.releaseSavepoint();
        transaction.commit(List.of(new Outcome.Processed(sequence)));
      }
    }
    assertThat(database.effects()).containsExactly("done");
    assertThat(database.texts("SELECT status FROM inbox")).containsExactly("processed");
  }

  @Test
  void twoInboxesInTwoSchemasHandleTheirOwnMessagesOfTheSameEndpoint() {
    database.execute("CREATE TABLE effects (name text NOT NULL)");
    int count = 200;
    InMemoryTransport toOne = InMemoryTransport.create();
    InMemoryTransport toOther = InMemoryTransport.create();
    try (Inbox one = inbox("one", toOne);
        Inbox other = inbox("other", toOther)) {
      one.start();
      other.start();
      toOne.deliver(Messages.ENDPOINT, Service.deliveries(count));
      toOther.deliver(Messages.ENDPOINT, Service.deliveries(count));
      await()
          .untilAsserted(
              () -> {
                assertThat(processed("one")).isEqualTo(count);
                assertThat(processed("other")).isEqualTo(count);
              });
      assertThat(one.processes())
          .singleElement()
          .extracting(it -> it.info().name())
          .isEqualTo("one");
      assertThat(other.processes())
          .singleElement()
          .extracting(it -> it.info().name())
          .isEqualTo("other");
      one.control(Messages.ENDPOINT).pause("anna", "stock");
      assertThat(other.control(Messages.ENDPOINT).currentPause()).isNull();
    }
    assertThat(database.texts("SELECT name || count(*) FROM effects GROUP BY name ORDER BY name"))
        .containsExactly("one" + count, "other" + count);
  }

  private Inbox inbox(String schema, InMemoryTransport transport) {
    return Inbox.builder()
        .store(JdbiInboxStore.builder(database.url()).schema(schema).build())
        .transport(transport)
        .instanceName(schema)
        .defaults(all -> all.pollInterval(Duration.ofMillis(50)))
        .subscribe(
            Messages.ENDPOINT,
            Created.class,
            (event, context) -> TestDatabase.effect(context.unwrap(Handle.class), schema))
        .build();
  }

  private long processed(String schema) {
    return database.count("SELECT count(*) FROM " + schema + ".inbox WHERE status = 'processed'");
  }

  @Test
  void anOperatorOfOneSchemaDoesNotTouchTheOther() {
    try (JdbiInboxStore one = store("one");
        JdbiInboxStore other = store("other")) {
      for (JdbiInboxStore it : List.of(one, other)) {
        it.receive(Messages.ENDPOINT, Messages.events(1));
        Messages.settle(it, 1, sequence -> new Outcome.Dead(sequence, "no stock", false));
      }
      assertThat(one.discardDead(MessageFilter.all(), "anna", 0, 10)).hasSize(1);
      assertThat(other.listDead(MessageFilter.all(), 10)).hasSize(1);
    }
  }
}
