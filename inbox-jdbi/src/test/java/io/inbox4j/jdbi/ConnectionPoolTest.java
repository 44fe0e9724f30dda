package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {

  private final TestDatabase database = TestDatabase.fresh();

  @Test
  void closingEndsTheThreadsAndConnectionsThatTheStoreOpened() {
    JdbiInboxStore store = JdbiInboxStore.connect(database.url());
    store.open();
    InboxStore.Watch watch = store.watch(endpoint -> {});
    store.receive(Messages.ENDPOINT, Messages.events(1));
    WorkTransaction open = store.begin(Messages.ENDPOINT);
    open.claim(Messages.TYPES, 1);
    assertThat(connections()).isPositive();
    watch.close();
    open.close();
    store.close();
    store.close();
    await().untilAsserted(() -> assertThat(connections()).isZero());
    await()
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("inbox")));
  }

  @Test
  void theUsersOwnPoolStaysOpenAndGetsEveryConnectionBack() {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.url());
      pool.setMaximumPoolSize(1);
      pool.setConnectionTimeout(2_000);
      JdbiInboxStore store = JdbiInboxStore.create(pool);
      store.open();
      store.receive(Messages.ENDPOINT, Messages.events(3));
      for (int i = 0; i < 3; i++) {
        try (WorkTransaction abandoned = store.begin(Messages.ENDPOINT)) {
          abandoned.claim(Messages.TYPES, 1);
        }
        Messages.settle(store, 1, Outcome.Processed::new);
      }
      store.close();
      assertThat(pool.isClosed()).isFalse();
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      try (org.jdbi.v3.core.Handle handle = org.jdbi.v3.core.Jdbi.open(pool)) {
        assertThat(handle.isInTransaction()).as("the pool gets it back as it was").isFalse();
      }
    }
  }

  @Test
  void aPoolOfTheStoresOwnNoticesALostServer() {
    try (HikariDataSource pool = ConnectionPool.of(database.url())) {
      assertThat(pool.getDataSourceProperties())
          .containsEntry("tcpKeepAlive", "true")
          .containsEntry("targetServerType", "primary")
          .containsEntry("socketTimeout", "300");
    }
  }

  @Test
  void anIdleTimeoutThatIsTooShortIsRefused() {
    assertThatThrownBy(
            () -> JdbiInboxStore.builder(database.dataSource()).idleTimeout(Duration.ofMillis(99)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT0.099S")
        .hasMessageContaining("100 ms");
  }

  @Test
  void theServerEndsAFrozenTransactionAndFreesItsMessages() {
    try (JdbiInboxStore store =
            JdbiInboxStore.builder(database.dataSource())
                .idleTimeout(Duration.ofMillis(100))
                .build();
        WorkTransaction frozen = store.begin(Messages.ENDPOINT)) {
      store.receive(Messages.ENDPOINT, Messages.events(1));
      long sequence = frozen.claim(Messages.TYPES, 1).get(0).sequence();
      try (JdbiInboxStore other = Messages.store(database)) {
        await()
            .untilAsserted(
                () -> assertThat(Messages.settle(other, 1, Outcome.Processed::new)).hasSize(1));
      }
      assertThatThrownBy(() -> frozen.commit(java.util.List.of(new Outcome.Processed(sequence))))
          .isInstanceOf(io.inbox4j.store.StoreUnavailableException.class);
    }
    assertThat(database.texts("SELECT status FROM inbox")).containsExactly("processed");
  }

  private long connections() {
    return database.count(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'inbox'"
            + " AND datname = current_database()");
  }
}
