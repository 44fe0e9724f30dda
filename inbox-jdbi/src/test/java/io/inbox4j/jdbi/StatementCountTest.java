package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.store.Outcome;
import org.junit.jupiter.api.Test;

class StatementCountTest {

  private final TestDatabase database = TestDatabase.fresh();

  @Test
  void aBatchIsStoredAndSettledWithOneStatementATable() {
    database.execute("CREATE TABLE statements (what text NOT NULL)");
    database.execute(
        """
        CREATE FUNCTION count_statement() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO statements VALUES (TG_OP || ' ' || TG_TABLE_NAME);
          RETURN NULL;
        END $$
        """);
    for (String table :
        new String[] {"inbox_messages", "inbox_pending", "inbox_processed", "inbox_attempts"}) {
      database.execute(
          "CREATE TRIGGER counted AFTER INSERT OR UPDATE OR DELETE ON "
              + table
              + " FOR EACH STATEMENT EXECUTE FUNCTION count_statement()");
    }
    try (JdbiInboxStore store = Messages.store(database)) {
      store.receive(Messages.ENDPOINT, Messages.events(500));
      assertThat(counted())
          .containsExactlyInAnyOrder("INSERT inbox_messages", "INSERT inbox_pending");
      database.execute("TRUNCATE statements");
      assertThat(Messages.settle(store, 500, Outcome.Processed::new)).hasSize(500);
      assertThat(counted())
          .containsExactlyInAnyOrder("DELETE inbox_pending", "INSERT inbox_processed");
    }
  }

  private java.util.List<String> counted() {
    return database.texts("SELECT what FROM statements");
  }
}
