package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.jdbi.internal.connect.PoolerAwareConnections;
import io.inbox4j.jdbi.internal.notify.ListenConnection;
import io.inbox4j.jdbi.internal.notify.NotifySender;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkStore;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
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

  @Test
  void whileThereAreWorkersHereOthersAreNotToldOfEveryBatch() {
    Duration apart = Duration.ofHours(1);
    try (NotifySender notifySender = notifySender(jdbi(), apart)) {
      assertThat(notifySender.of("orders").notification()).endsWith(" orders");
      assertThat(notifySender.of("orders").notification()).endsWith(" orders");
      WorkStore.Watch workers = notifySender.watch(endpoint -> {}, () -> {});
      assertThat(notifySender.of("orders").notification()).endsWith(" orders");
      assertThat(notifySender.of("orders").notification()).isNull();
      assertThat(notifySender.of("payments").notification()).endsWith(" payments");
      workers.close();
      assertThat(notifySender.of("orders").notification()).endsWith(" orders");
    }
  }

  @Test
  void aStoreThatIsWatchedTellsOthersOfItsLastBatchToo() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore storing = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {});
        WorkStore.Watch own = storing.watch(endpoint -> {}, () -> {})) {
      assertThat(List.of(watch, own)).hasSize(2);
      awaitListening(2);
      for (int i = 0; i < 40; i += 2) {
        int before = heard.size();
        storing.receive("orders", List.of(Messages.event(i)));
        storing.receive("orders", List.of(Messages.event(i + 1))); // too early to tell of
        await().until(() -> heard.size() >= before + 2);
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
  void othersAreToldEvenIfTheWorkersHereEndMeanwhile() {
    try (JdbiInboxStore listening = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {});
        NotifySender notifySender = notifySender(jdbi())) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      WorkStore.Watch workers = notifySender.watch(endpoint -> {}, () -> {});
      assertThat(notifySender.of("orders").notification()).isNotNull();
      NotifySender.Announcement tooEarly = notifySender.of("orders");
      assertThat(tooEarly.notification()).isNull();
      tooEarly.stored();
      workers.close();
      tooEarly.committed();
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders"));
    }
  }

  @Test
  void othersAreToldOfWhatIsOwedWhileDuplicatesKeepComing() {
    Duration apart = Duration.ofMillis(200);
    try (JdbiInboxStore listening = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {});
        NotifySender notifySender = notifySender(jdbi(), apart);
        WorkStore.Watch workers = notifySender.watch(endpoint -> {}, () -> {})) {
      assertThat(List.of(watch, workers)).hasSize(2);
      awaitListening(2);
      await()
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                NotifySender.Announcement ofDuplicates = notifySender.of("orders");
                ofDuplicates.notification();
                ofDuplicates.committed();
                return !heard.isEmpty();
              });
    }
  }

  @Test
  void othersAreToldOfWhatIsOwedWhenAStoreIsClosed() {
    try (JdbiInboxStore listening = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
      assertThat(watch).isNotNull();
      awaitListening(1);
      Duration apart = Duration.ofMillis(300);
      try (NotifySender closing = notifySender(jdbi(), apart)) {
        WorkStore.Watch workers = closing.watch(endpoint -> {}, () -> {});
        assertThat(closing.of("orders").notification()).isNotNull();
        NotifySender.Announcement tooEarly = closing.of("orders");
        assertThat(tooEarly.notification()).isNull();
        tooEarly.committed();
        workers.close();
      }
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders"));
    }
  }

  @Test
  void othersAreToldOfWhatIsOwedAsSoonAsTheDatabaseIsBack() {
    AtomicBoolean gone = new AtomicBoolean();
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
        NotifySender notifySender = notifySender(jdbi);
        WorkStore.Watch workers = notifySender.watch(endpoint -> {}, () -> {})) {
      assertThat(List.of(watch, workers)).hasSize(2);
      awaitListening(2);
      gone.set(true);
      assertThat(notifySender.of("orders").notification()).isNotNull();
      NotifySender.Announcement tooEarly = notifySender.of("orders");
      tooEarly.notification();
      tooEarly.committed();
      await().pollDelay(Duration.ofMillis(100)).until(() -> heard.isEmpty());
      gone.set(false);
      await().untilAsserted(() -> assertThat(heard).containsExactly("orders"));
    }
  }

  @Test
  void aDiscardedMessageWakesThoseWhoWaitForItsKey() {
    try (JdbiInboxStore listening = Messages.store(database);
        JdbiInboxStore storing = Messages.store(database)) {
      storing.receive(Messages.ENDPOINT, Messages.events(3));
      Messages.settle(storing, 3, seq -> new Outcome.Dead(seq, "broken"));
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
