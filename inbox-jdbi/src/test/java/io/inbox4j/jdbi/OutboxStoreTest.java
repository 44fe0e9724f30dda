package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.OutgoingMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Publishing in transactions of all kinds, and telling other processes of it. */
@Timeout(60)
class OutboxStoreTest {

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);

  @AfterEach
  void close() {
    store.close();
  }

  private long stored() {
    return database.count("SELECT count(*) FROM outbox_messages");
  }

  @Test
  void itIsCommittedWithAHandleOfTheCaller() {
    database
        .jdbi()
        .useTransaction(
            handle -> {
              TestDatabase.effect(handle, "effect");
              store.publish(handle, Outgoing.messages(1, 2));
              assertThat(store.outboxStatus().waiting()).isZero();
            });
    assertThat(stored()).isEqualTo(2);
    assertThatThrownBy(
            () ->
                database
                    .jdbi()
                    .useTransaction(
                        handle -> {
                          store.publish(handle, Outgoing.messages(3, 1));
                          throw new IllegalStateException("it fails");
                        }))
        .hasMessage("it fails");
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void itIsCommittedWithAConnectionOfAPool() throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(config);
        Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      store.publish(connection, Outgoing.messages(1, 1));
      connection.rollback();
      store.publish(connection, List.of(StoredOutgoing.now(Outgoing.keyed(2, "key"))));
      connection.commit();
    }
    assertThat(stored()).isOne();
  }

  @Test
  void whateverHandlersHaveSetTheirTransactionPublishes() {
    store.receive(Messages.ENDPOINT, Messages.events(1));
    try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      long sequence = transaction.claim(Messages.TYPES, 1).get(0).sequence();
      transaction.savepoint();
      Handle handle = transaction.unwrap(Handle.class);
      TestDatabase.effect(handle, "effect");
      handle.execute("SET LOCAL search_path TO nowhere");
      transaction.releaseSavepoint();
      transaction.publish(
          List.of(
              StoredOutgoing.now(Outgoing.keyed(1, "key")),
              StoredOutgoing.now(Outgoing.keyed(2, "another")),
              new StoredOutgoing(Outgoing.keyed(3, "key"), Duration.ofHours(1), null)));
      assertThat(stored()).isZero();
      transaction.commit(List.of(new Outcome.Processed(sequence)));
    }
    assertThat(stored()).isEqualTo(2);
    assertThat(database.count("SELECT count(*) FROM outbox_scheduled")).isOne();
    assertThat(database.effects()).containsExactly("effect");
    assertThat(database.texts("SELECT status FROM inbox")).containsExactly("processed");
  }

  @Test
  void whatIsPublishedIsUndoneIfTheOutcomeCannotBeWritten() {
    store.receive(Messages.ENDPOINT, Messages.events(1));
    try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      long sequence = transaction.claim(Messages.TYPES, 1).get(0).sequence();
      transaction.publish(Outgoing.messages(1, 1));
      assertThatThrownBy(() -> transaction.commit(List.of(new Outcome.Processed(sequence + 1_000))))
          .isInstanceOf(RuntimeException.class);
    }
    assertThat(stored()).isZero();
  }

  @Test
  void aConnectionThatIsInNoTransactionIsRefused() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Handle handle = database.jdbi().open()) {
      for (Object it : List.of(connection, handle)) {
        assertThatThrownBy(() -> store.publish(it, Outgoing.messages(1, 1)))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("would not undo")
            .hasMessageContaining("setAutoCommit(false)");
      }
    }
    assertThatThrownBy(() -> store.publish(database, Outgoing.messages(1, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Handle.class.getName())
        .hasMessageContaining(Connection.class.getName());
    assertThat(stored()).isZero();
  }

  @Test
  void aTransactionThatHasFailedSaysSo() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1 / 0"))
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> store.publish(connection, Outgoing.messages(1, 1)))
          .isInstanceOf(AbortedTransactionException.class);
    }
  }

  @Test
  void withoutTheTableItIsUnavailable() {
    database.execute("ALTER TABLE outbox_messages RENAME TO outbox_away");
    assertThatThrownBy(() -> store.publish(Outgoing.messages(1, 1)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("JdbiInboxStore.migrate(dataSource)");
  }

  @Test
  void largeBatchesAreStoredInPartsInOrder() {
    byte[] large = new byte[3 << 20];
    List<StoredOutgoing> messages =
        IntStream.range(0, 5)
            .mapToObj(
                n ->
                    StoredOutgoing.now(
                        new OutgoingMessage(
                            Outgoing.id(n),
                            new OutgoingMessage.Queue("q"),
                            "t",
                            "a/b",
                            large,
                            Map.of(),
                            null,
                            null,
                            "key",
                            null,
                            null)))
            .toList();
    store.publish(messages);
    try (OutboxReader reader = store.openOutbox()) {
      for (int n = 0; n < 5; n++) {
        List<OutboxReader.Entry> next = reader.next(100, 1);
        assertThat(next).hasSize(1);
        assertThat(next.get(0).message().messageId()).isEqualTo(Outgoing.id(n));
        assertThat(next.get(0).message().body()).isEqualTo(large);
      }
    }
  }

  /** PostgreSQL cannot store the character zero. */
  @Test
  void noTextIsRefused() {
    String odd = "a\u0000b\ud800c\ud83d\ude00";
    store.publish(
        List.of(
            StoredOutgoing.now(
                new OutgoingMessage(
                    Outgoing.id(1),
                    new OutgoingMessage.Topic("t"),
                    odd,
                    odd,
                    new byte[0],
                    Map.of(odd, odd),
                    odd,
                    odd,
                    odd,
                    null,
                    null))));
    try (OutboxReader reader = store.openOutbox()) {
      OutgoingMessage read = reader.next(1, 1).get(0).message();
      assertThat(read.type()).startsWith("a\u2400b").endsWith("c\ud83d\ude00");
      assertThat(read.headers()).hasSize(1);
    }
  }

  /** Whoever sends must not wait for somebody who may wait for what is to be sent. */
  @Test
  @Timeout(20)
  void whatIsDueOfAKeyThatATransactionHasLockedHoldsUpNothingElse() throws SQLException {
    Duration moment = Duration.ofMillis(1);
    store.publish(
        List.of(
            new StoredOutgoing(Outgoing.keyed(1, "key"), moment, null),
            new StoredOutgoing(Outgoing.message(2), moment, null)));
    database.execute("SELECT pg_sleep(0.01)");
    try (OutboxReader reader = store.openOutbox();
        Connection caller = database.dataSource().getConnection()) {
      caller.setAutoCommit(false);
      store.publish(caller, List.of(StoredOutgoing.now(Outgoing.keyed(3, "key"))));
      assertThat(reader.releaseDue()).isEqualTo(1);
      assertThat(Outgoing.numbers(reader.next(10, Outgoing.BYTES))).containsExactly(2);
      assertThat(store.cancelScheduled(Outgoing.keyed(1, "key").messageId())).isTrue();
      caller.commit();
      assertThat(Outgoing.numbers(reader.next(10, Outgoing.BYTES))).containsExactly(3);
    }
  }

  @Test
  void scheduledMessagesAreReleasedInTheOrderInWhichTheyAreDueSoManyAtATime() {
    store.publish(
        IntStream.range(0, 1_200)
            .mapToObj(
                n ->
                    new StoredOutgoing(
                        Outgoing.keyed(n, "key " + n % 7), Duration.ofSeconds(3_000 - n), null))
            .toList());
    database.execute("UPDATE outbox_scheduled SET due_on_utc = due_on_utc - interval '1 hour'");
    try (OutboxReader reader = store.openOutbox()) {
      assertThat(IntStream.range(0, 4).map(i -> reader.releaseDue()))
          .containsExactly(500, 500, 200, 0);
      assertThat(Outgoing.numbers(reader.next(2_000, Outgoing.BYTES)))
          .isEqualTo(IntStream.range(0, 1_200).map(n -> 1_199 - n).boxed().toList());
    }
  }

  @Test
  void releasingTwiceAtOnceSendsEachMessageOnce() throws Exception {
    int count = 2_000;
    store.publish(
        IntStream.range(0, count)
            .mapToObj(n -> new StoredOutgoing(Outgoing.message(n), Duration.ofHours(1), null))
            .toList());
    database.execute("UPDATE outbox_scheduled SET due_on_utc = due_on_utc - interval '2 hours'");
    ExecutorService threads = Executors.newFixedThreadPool(3);
    List<Future<Integer>> released =
        IntStream.range(0, 3).mapToObj(i -> threads.submit(this::releaseAll)).toList();
    threads.shutdown();
    int sum = 0;
    for (Future<Integer> one : released) {
      sum += one.get();
    }
    assertThat(sum).isEqualTo(count);
    assertThat(stored()).isEqualTo(count);
  }

  private int releaseAll() {
    try (OutboxReader reader = store.openOutbox()) {
      int sum = 0;
      while (database.count("SELECT count(*) FROM outbox_scheduled") > 0) {
        sum += reader.releaseDue();
      }
      return sum;
    }
  }

  @Test
  void whatIsDeadIsKeptWithItsBytesAndTheReason() {
    OutgoingMessage message = Outgoing.keyed(1, "key");
    store.publish(List.of(StoredOutgoing.now(message)));
    try (OutboxReader reader = store.openOutbox()) {
      long sequence = reader.next(1, 1).get(0).sequence();
      reader.settle(
          List.of(),
          List.of(
              new OutboxReader.Undeliverable(
                  sequence, OutboxReader.Reason.UNROUTABLE, "no queue is bound")));
    }
    assertThat(
            database.texts(
                """
                SELECT concat_ws(' ', reason, error, message_id, destination, to_queue, type,
                                 convert_from(body, 'UTF8'), ordering_key)
                FROM outbox_dead
                WHERE dead_on_utc >= published_on_utc
                """))
        .containsExactly(
            "UNROUTABLE no queue is bound %s shop.created f created {\"n\":1} key"
                .formatted(Outgoing.id(1)));
  }

  @Test
  void whoseLeaseBeganInTheFutureDoesNotKeepItAfterTheClockWasSetBack() {
    UUID one = UUID.randomUUID();
    UUID other = UUID.randomUUID();
    assertThat(store.leadRelay(one, Duration.ofSeconds(10))).isTrue();
    database.execute(
        "UPDATE outbox_relay SET renewed_on_utc = renewed_on_utc + interval '1 day',"
            + " until_on_utc = until_on_utc + interval '1 day'");
    assertThat(store.leadRelay(other, Duration.ofSeconds(10))).isTrue();
    assertThat(store.leadRelay(one, Duration.ofSeconds(10))).isFalse();
  }

  @Test
  void ofManyThatWantToSendAtOnceOneDoes() throws Exception {
    int count = 8;
    ExecutorService threads = Executors.newFixedThreadPool(count);
    for (int round = 0; round < 10; round++) {
      List<Future<Boolean>> leading =
          IntStream.range(0, count)
              .mapToObj(
                  i ->
                      threads.submit(
                          () -> store.leadRelay(UUID.randomUUID(), Duration.ofMinutes(1))))
              .toList();
      int leaders = 0;
      for (Future<Boolean> one : leading) {
        leaders += one.get() ? 1 : 0;
      }
      assertThat(leaders).isOne();
      database.execute("DELETE FROM outbox_relay");
    }
    threads.shutdown();
  }

  /** Others are told after the commit, by whatever way it was published. */
  @Test
  void anotherProcessIsToldOfWhatIsPublished() {
    AtomicInteger told = new AtomicInteger();
    try (JdbiInboxStore other = Messages.store(database);
        WorkStore.Watch watch = other.watchOutbox(told::incrementAndGet)) {
      assertThat(watch).isNotNull();
      await().until(() -> told.get() > 0); // it listens
      told.set(0);
      store.publish(Outgoing.messages(1, 1));
      await().until(() -> told.getAndSet(0) > 0);
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        transaction.publish(Outgoing.messages(2, 1));
        transaction.commit(List.of());
      }
      await().until(() -> told.getAndSet(0) > 0);
      database.jdbi().useTransaction(handle -> store.publish(handle, Outgoing.messages(3, 1)));
      await().until(() -> told.getAndSet(0) > 0);
    }
  }

  @Test
  void workersAndWhoSendsListenOnOneConnection() {
    AtomicInteger told = new AtomicInteger();
    String listening =
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN _inbox.' || current_schema() || '_'";
    WorkStore.Watch outbox;
    try (WorkStore.Watch workers = store.watch(endpoint -> {}, () -> {})) {
      assertThat(workers).isNotNull();
      await().until(() -> database.count(listening) == 1);
      outbox = store.watchOutbox(told::incrementAndGet);
      assertThat(told).as("it may have missed something").hasPositiveValue();
    }
    told.set(0);
    try (JdbiInboxStore other = Messages.store(database)) {
      other.publish(Outgoing.messages(1, 1));
      await().until(() -> told.get() > 0);
    }
    assertThat(database.count(listening)).isOne();
    outbox.close();
    await().until(() -> database.count(listening) == 0);
  }

  @Test
  void aTransactionOfTheCallerNotifiesAtMostTwiceASecond() {
    long begin = System.nanoTime();
    AtomicInteger told = new AtomicInteger();
    try (JdbiInboxStore other = Messages.store(database);
        WorkStore.Watch watch = other.watchOutbox(told::incrementAndGet)) {
      assertThat(watch).isNotNull();
      await().until(() -> told.get() > 0);
      told.set(0);
      for (int n = 0; n < 100; n++) {
        int number = n;
        database
            .jdbi()
            .useTransaction(handle -> store.publish(handle, Outgoing.messages(number, 1)));
      }
      await().until(() -> told.get() > 0);
      long halfSeconds = Duration.ofNanos(System.nanoTime() - begin).toMillis() / 500;
      assertThat(told.get()).isLessThanOrEqualTo((int) halfSeconds + 2);
    }
  }
}
