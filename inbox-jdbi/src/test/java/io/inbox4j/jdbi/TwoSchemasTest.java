package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.jdbi.internal.sql.MigrationSql;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
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
        assertThat(first.claim(Messages.TYPES, 10)).hasSize(1);
        List<ClaimedMessage> claimed = second.claim(Messages.TYPES, 10);
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
  void outgoingMessagesOfTheSameKeyDoNotWaitForEachOther() throws Exception {
    TestDatabase database = TestDatabase.fresh();
    List<StoredOutgoing> messages = List.of(StoredOutgoing.now(Outgoing.keyed(1, "a key")));
    try (JdbiInboxStore one = Messages.store(database);
        JdbiInboxStore other = Messages.store(TestDatabase.fresh());
        Connection transaction = database.dataSource().getConnection()) {
      transaction.setAutoCommit(false);
      one.publish(transaction, messages);
      other.publish(messages);
      assertThat(other.outboxStatus().waiting()).isOne();
      assertThat(other.leadRelay(UUID.randomUUID(), Duration.ofMinutes(1))).isTrue();
      assertThat(one.leadRelay(UUID.randomUUID(), Duration.ofMinutes(1))).isTrue();
    }
  }

  @Test
  void aMigrationOfOneDoesNotWaitForThatOfTheOther() throws Exception {
    TestDatabase one = TestDatabase.empty();
    TestDatabase other = TestDatabase.empty();
    try (Connection migrating = one.dataSource().getConnection();
        Statement statement = migrating.createStatement()) {
      migrating.setAutoCommit(false);
      statement.execute(InboxSchema.of(null).render(MigrationSql.LOCK_FOR_MIGRATION, migrating));
      JdbiInboxStore.migrate(other.dataSource());
      migrating.rollback();
    }
    assertThat(other.count("SELECT count(*) FROM inbox_migrations")).isPositive();
  }

  @Test
  void aListenerHearsOnlyOfItsOwn() {
    List<String> heard = new CopyOnWriteArrayList<>();
    CountDownLatch listens = new CountDownLatch(1);
    TestDatabase one = TestDatabase.fresh();
    try (JdbiInboxStore listening = Messages.store(one);
        JdbiInboxStore storing = Messages.store(one);
        JdbiInboxStore other = Messages.store(TestDatabase.fresh());
        WorkStore.Watch watch = listening.watch(heard::add, listens::countDown)) {
      assertThat(watch).isNotNull();
      await().until(() -> listens.getCount() == 0);
      other.receive("of the other", Messages.events(1));
      storing.receive("its own", Messages.events(1)); // notifications come in order
      await().untilAsserted(() -> assertThat(heard).containsExactly("its own"));
    }
  }

  @Test
  void retentionOfOneDoesNotWaitForThatOfTheOther() {
    TestDatabase one = TestDatabase.fresh();
    TestDatabase other = TestDatabase.fresh();
    one.execute(
        "INSERT INTO inbox_retention_lease VALUES (true, gen_random_uuid(), now() + interval '1 min')");
    try (JdbiInboxStore first = Messages.store(one);
        JdbiInboxStore second = Messages.store(other)) {
      Set<String> endpoints = Set.of(Messages.ENDPOINT);
      assertThat(first.retain(endpoints, Retention.days(1), false, soFar -> true).ran()).isFalse();
      assertThat(second.retain(endpoints, Retention.days(1), false, soFar -> true).ran()).isTrue();
    }
  }
}
