package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.jdbi.internal.connect.PoolerAwareConnections;
import io.inbox4j.jdbi.internal.notify.ListenConnection;
import io.inbox4j.jdbi.internal.notify.NotifySender;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.WorkStore;
import io.inbox4j.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class NotificationsTest {

  private final TestDatabase database = TestDatabase.fresh();
  private final Queue<String> heard = new ConcurrentLinkedQueue<>();

  @Test
  void aStoreHearsWhatAnotherStoresOnceForEachBatch() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore storing = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      storing.receive("orders", Messages.events(50));
      await().until(() -> !heard.isEmpty());
      storing.receive("payments", Messages.events(1));
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders", "payments"));
    }
  }

  @Test
  void aStoreHearsItselfOnce() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore storing = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      listening.receive("its own", Messages.events(1));
      storing.receive("another's", Messages.events(1));
      await().untilAsserted(() -> assertThat(heard).containsExactly("its own", "another's"));
    }
  }

  private Jdbi jdbi() {
    return Jdbi.create(database.dataSource()).setTemplateEngine(InboxSchema.of(null));
  }

  private ListenConnection listening(Jdbi jdbi) {
    return ListenConnection.onOwn(
        jdbi, new PoolerAwareConnections(database.dataSource()::getConnection));
  }

  private NotifySender notifySender(Jdbi jdbi) {
    return new NotifySender(jdbi, true, listening(jdbi));
  }

  private NotifySender notifySender(Jdbi jdbi, Duration apart) {
    return new NotifySender(jdbi, true, listening(jdbi), apart);
  }

  private void committed(NotifySender notifySender, String endpoint) {
    database.jdbi().useHandle(it -> notifySender.committed(it.getConnection(), endpoint));
  }

  @Test
  void othersAreNotToldOfEveryBatch() {
    try (JdbiInboxStore listening = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {});
        NotifySender notifySender = notifySender(jdbi(), Duration.ofHours(1));
        NotifySender last = notifySender(jdbi())) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      committed(notifySender, "orders");
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders"));
      for (int i = 0; i < 50; i++) {
        committed(notifySender, "orders");
      }
      committed(last, "last");
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders", "last"));
    }
  }

  @Test
  void othersAreToldOfTheLastBatchToo() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore storing = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      for (int i = 0; i < 40; i++) {
        heard.clear();
        storing.receive("orders", List.of(Messages.event(i))); // often too early to tell of
        await().pollInterval(Duration.ofMillis(1)).until(() -> !heard.isEmpty());
      }
    }
  }

  @Test
  void othersAreToldAgainOfWhatWasStoredByATryWhoseAnswerWasLost() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore storing = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      storing.receive("orders", Messages.events(1));
      await().until(() -> heard.size() == 1);
      storing.receive("orders", Messages.events(1));
      await().until(() -> heard.size() == 2);
    }
  }

  @Test
  void othersAreToldWhileBatchesKeepComing() {
    try (JdbiInboxStore listening = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {});
        NotifySender notifySender = notifySender(jdbi(), Duration.ofMillis(200))) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      await()
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                committed(notifySender, "orders");
                return heard.size() > 2;
              });
    }
  }

  @Test
  void othersAreToldOfWhatIsOwedWhenAStoreIsClosed() {
    try (JdbiInboxStore listening = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      try (NotifySender closing = notifySender(jdbi(), Duration.ofMillis(300))) {
        committed(closing, "orders");
        await().until(() -> heard.size() == 1);
        committed(closing, "payments"); // too early
      }
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders", "payments"));
    }
  }

  @Test
  void othersAreToldOfWhatIsOwedByASenderThatIsClosedWhileItSends() {
    int senders = 20;
    try (JdbiInboxStore listening = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      for (int i = 0; i < senders; i++) {
        try (NotifySender closing = notifySender(jdbi())) {
          committed(closing, "orders");
          committed(closing, "payments");
        }
      }
      await().until(() -> heard.stream().filter("payments"::equals).count() == senders);
    }
  }

  @Test
  void othersAreToldOfWhatIsOwedAsSoonAsTheDatabaseIsBack() {
    AtomicBoolean gone = new AtomicBoolean(true);
    Jdbi jdbi =
        Jdbi.create(
            () -> {
              if (gone.get()) {
                throw new SQLTransientConnectionException("gone for a while");
              }
              return database.dataSource().getConnection();
            });
    jdbi.setTemplateEngine(InboxSchema.of(null));
    try (JdbiInboxStore listening = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {});
        NotifySender notifySender = notifySender(jdbi)) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      committed(notifySender, "orders");
      await().pollDelay(Duration.ofMillis(100)).until(() -> heard.isEmpty());
      gone.set(false);
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders"));
    }
  }

  @Test
  void messagesAreStoredWhileTheServerTakesNoNotificationsAndThenOthersAreTold()
      throws SQLException, InterruptedException {
    try (PostgresServer server = PostgresServer.start()) {
      Jdbi.create(server.dataSource())
          .useHandle(it -> it.execute("ALTER SYSTEM SET max_notify_queue_pages = 64"));
      server.kill9();
      server.restart();
      CountDownLatch listens = new CountDownLatch(1);
      try (JdbiInboxStore listening = JdbiInboxStore.create(server.dataSource());
          JdbiInboxStore storing = JdbiInboxStore.create(server.dataSource());
          WorkStore.Watch watch = listening.watch(heard::add, listens::countDown);
          Connection deaf = server.dataSource().getConnection()) {
        assertThat(watch).isNotNull();
        storing.open();
        listens.await();
        fillNotificationQueue(deaf, server.dataSource());
        heard.clear();
        assertThat(storing.receive("orders", Messages.events(2))).containsOnly(StoreResult.STORED);
        await().pollDelay(Duration.ofMillis(300)).until(() -> heard.isEmpty());
        try (JdbiInboxStore operating = JdbiInboxStore.create(server.dataSource())) {
          operating.open();
          operating.pause("orders", "anna", "the printer burns");
          operating.resume("orders");
          assertThat(operating.discardPending(MessageFilter.all(), "anna", 0, 1).changed())
              .hasSize(1);
        }
        deaf.rollback();
        await().untilAsserted(() -> assertThat(heard).containsExactly("orders"));
      }
    }
  }

  /** Listens and does not hear, until notifications are refused; they are kept until it does. */
  private static void fillNotificationQueue(Connection deaf, DataSource others)
      throws SQLException {
    try (Statement listen = deaf.createStatement()) {
      listen.execute("LISTEN another");
      deaf.setAutoCommit(false);
      listen.execute("SELECT 1");
    }
    try (Connection sending = others.getConnection();
        PreparedStatement notify =
            sending.prepareStatement("SELECT pg_notify('another', repeat('x', 7000))")) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  notify.execute();
                }
              })
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("54000"));
    }
  }

  @Test
  void aDiscardedMessageWakesThoseWhoWaitForItsKey() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore silent =
            JdbiInboxStore.builder(database.dataSource()).notifications(false).build();
        JdbiInboxStore storing = Messages.store(database)) {
      silent.receive(Messages.ENDPOINT, Messages.events(3));
      Messages.settle(silent, 3, seq -> new Outcome.Dead(seq, "broken"));
      try (WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
        assertThat(watch).isNotNull();
        awaitListening(1);
        storing.discardDead(MessageFilter.all(), "anna", 0, 10);
        storing.receive("last", Messages.events(1));
        await().untilAsserted(() -> assertThat(heard).containsExactly(Messages.ENDPOINT, "last"));
      }
    }
  }

  @Test
  void withoutNotificationsNobodyElseIsTold() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore silent =
            JdbiInboxStore.builder(database.dataSource()).notifications(false).build();
        JdbiInboxStore storing = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {});
        WorkStore.Watch deaf = silent.watch(heard::add, () -> {})) {
      assertThat(List.of(watch, deaf)).hasSize(2);
      awaitListening(1);
      silent.receive("silent", Messages.events(1));
      storing.receive("loud", Messages.events(1));
      await().untilAsserted(() -> assertThat(heard).containsExactly("silent", "loud"));
    }
  }

  @Test
  void listeningGoesOnAfterItsConnectionWasLost() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore storing = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      database.terminate(
          database.one(
              Integer.class,
              "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN _inbox.%'"
                  + " AND datname = current_database()"));
      awaitListening(1);
      storing.receive("orders", Messages.events(1));
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders"));
    }
  }

  @Test
  void closingEndsTheListening() {
    try (JdbiInboxStore store = Messages.store(database)) {
      WorkStore.Watch watch = store.watch(heard::add, () -> {});
      awaitListening(1);
      watch.close();
      watch.close();
      awaitListening(0);
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("inbox-notifications");
  }

  private void awaitListening(int count) {
    await()
        .untilAsserted(
            () ->
                assertThat(
                        database.count(
                            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN _inbox.%'"
                                + " AND datname = current_database()"))
                    .isEqualTo(count));
  }
}
