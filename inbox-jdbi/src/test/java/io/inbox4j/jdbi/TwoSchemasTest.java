package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two inboxes in one database, in a schema each, with endpoints of the same name. */
@Timeout(60)
class TwoSchemasTest {

  private static ValidatedDelivery ordered(int n) {
    ValidatedDelivery.Event event = Messages.event(n);
    return new ValidatedDelivery.Event(
        event.delivery(), event.headers(), event.messageId(), event.type(), "a key", null);
  }

  @Test
  void theirLanesDoNotHoldUpEachOther() {
    try (JdbiInboxStore one = Messages.store(TestDatabase.fresh());
        JdbiInboxStore other = Messages.store(TestDatabase.fresh())) {
      one.receive(Messages.ENDPOINT, List.of(ordered(1)));
      other.receive(Messages.ENDPOINT, List.of(ordered(1)));
      try (WorkTransaction first = one.begin(Messages.ENDPOINT);
          WorkTransaction second = other.begin(Messages.ENDPOINT)) {
        assertThat(first.claimOrdered(Messages.TYPES, 10)).hasSize(1);
        List<ClaimedMessage> claimed = second.claimOrdered(Messages.TYPES, 10);
        assertThat(claimed).hasSize(1);
        second.commit(List.of(new Outcome.Processed(claimed.get(0).sequence())));
      }
    }
  }

  @Test
  void whatIsReceivedAndHandledInOneGoIsNotHeldUpEither() {
    try (JdbiInboxStore one = Messages.store(TestDatabase.fresh());
        JdbiInboxStore other = Messages.store(TestDatabase.fresh())) {
      try (WorkTransaction first = one.begin(Messages.ENDPOINT);
          WorkTransaction second = other.begin(Messages.ENDPOINT)) {
        first.receive(List.of(ordered(1)));
        assertThat(first.claimReceived(Messages.TYPES)).hasSize(1);
        second.receive(List.of(ordered(1)));
        assertThat(second.claimReceived(Messages.TYPES)).hasSize(1);
      }
    }
  }

  @Test
  void aMigrationOfOneDoesNotWaitForThatOfTheOther() throws Exception {
    TestDatabase one = TestDatabase.empty();
    TestDatabase other = TestDatabase.empty();
    try (Connection migrating = one.dataSource().getConnection();
        Statement statement = migrating.createStatement()) {
      migrating.setAutoCommit(false);
      statement.execute(Sql.LOCK_FOR_MIGRATION);
      JdbiInboxStore.migrate(other.dataSource());
      migrating.rollback();
    }
    assertThat(other.count("SELECT count(*) FROM inbox_migrations")).isPositive();
  }
}
