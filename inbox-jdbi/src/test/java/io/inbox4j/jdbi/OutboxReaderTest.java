package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.OutboxReader.Entry;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.testkit.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;

/** Reading what concurrent transactions publish: none is skipped, none is returned twice. */
@Timeout(120)
class OutboxReaderTest {

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);
  private final OutboxReader reader = store.openOutbox();
  private final List<Connection> open = new ArrayList<>();

  @BeforeEach
  void publishSomethingFirst() {
    store.publish(Outgoing.messages(0, 1));
    settle(next());
  }

  @AfterEach
  void close() throws SQLException {
    for (Connection it : open) {
      it.close();
    }
    store.close();
  }

  /** A transaction that has not done anything yet. */
  private Connection begin() throws SQLException {
    Connection connection = database.dataSource().getConnection();
    open.add(connection);
    connection.setAutoCommit(false);
    return connection;
  }

  private void publish(Connection connection, int n) {
    store.publish(connection, Outgoing.messages(n, 1));
  }

  private List<Entry> next() {
    return reader.next(1_000, Outgoing.BYTES);
  }

  private List<Integer> nextNumbers() {
    return Outgoing.numbers(next());
  }

  private void settle(List<Entry> entries) {
    reader.settle(Outgoing.sequences(entries), List.of());
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aTransactionHasItsIdBeforeItsFirstSequence() {
    database.execute(
        """
        CREATE FUNCTION check_id() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF pg_current_xact_id_if_assigned() IS NULL THEN
            RAISE 'the transaction has no id, and its row has the sequence %', NEW.seq;
          END IF;
          RETURN NEW;
        END $$
        """);
    database.execute(
        "CREATE TRIGGER check_id BEFORE INSERT ON outbox_messages FOR EACH ROW EXECUTE FUNCTION"
            + " check_id()");
    store.publish(Outgoing.messages(1, 2));
    store.publish(List.of(new StoredOutgoing(Outgoing.message(3), Duration.ZERO, null)));
    assertThat(nextNumbers()).containsExactly(1, 2, 3);
  }

  @Test
  void sequencesAreGivenOutInOrderBecauseNobodyCachesAny() {
    assertThat(
            database.count(
                "SELECT cache_size FROM pg_sequences WHERE sequencename = 'outbox_seq'"
                    + " AND schemaname = current_schema()"))
        .isOne();
  }

  @Test
  void lateCommitsAreReadWhenTheyAreThereInWhateverOrderTheyCommit() throws SQLException {
    Connection one = begin();
    Connection two = begin();
    Connection three = begin();
    publish(one, 1);
    publish(two, 2);
    publish(three, 3);
    publish(one, 4);
    store.publish(Outgoing.messages(5, 1));
    assertThat(nextNumbers()).containsExactly(5);
    two.commit();
    assertThat(nextNumbers()).containsExactly(2);
    publish(three, 6);
    store.publish(Outgoing.messages(7, 1));
    assertThat(nextNumbers()).containsExactly(7);
    one.rollback();
    assertThat(nextNumbers()).isEmpty();
    three.commit();
    assertThat(nextNumbers()).containsExactly(3, 6);
    assertThat(nextNumbers()).isEmpty();
  }

  @Test
  void whatASavepointHadPublishedIsReadWhenItsTransactionHasCommitted() throws SQLException {
    Connection transaction = begin();
    publish(transaction, 1);
    Savepoint undone = transaction.setSavepoint();
    publish(transaction, 2);
    transaction.rollback(undone);
    transaction.setSavepoint();
    publish(transaction, 3);
    store.publish(Outgoing.messages(4, 1));
    assertThat(nextNumbers()).containsExactly(4);
    assertThat(nextNumbers()).isEmpty();
    transaction.commit();
    assertThat(nextNumbers()).containsExactly(1, 3);
  }

  /** Its first id is that of a savepoint: the transaction itself has one, too. */
  @Test
  void aTransactionThatHasWrittenInASavepointOnlyIsNoticed() throws SQLException {
    Connection transaction = begin();
    execute(transaction, "SELECT 1");
    transaction.setSavepoint();
    publish(transaction, 1);
    store.publish(Outgoing.messages(2, 1));
    assertThat(nextNumbers()).containsExactly(2);
    transaction.commit();
    assertThat(nextNumbers()).containsExactly(1);
  }

  /** Its id is higher than those that a snapshot lists. */
  @Test
  void aTransactionThatBeganAfterAllThatHaveEndedIsNoticed() throws SQLException {
    Connection first = begin();
    execute(first, "SELECT pg_current_xact_id()");
    Connection second = begin();
    publish(second, 1);
    publish(first, 2);
    first.commit();
    assertThat(nextNumbers()).containsExactly(2);
    assertThat(nextNumbers()).isEmpty();
    second.commit();
    assertThat(nextNumbers()).containsExactly(1);
  }

  /** Whatever is committed between its statements, a read has one snapshot. */
  @Test
  void aTransactionThatCommitsDuringAReadIsReadAsAWhole() throws SQLException {
    AtomicReference<Connection> committing = new AtomicReference<>();
    try (JdbiInboxStore disturbed = JdbiInboxStore.create(committingAmidReads(committing));
        OutboxReader disturbedReader = disturbed.openOutbox()) {
      Connection transaction = begin();
      publish(transaction, 1);
      store.publish(Outgoing.messages(2, 1));
      assertThat(Outgoing.numbers(disturbedReader.next(10, Outgoing.BYTES))).containsExactly(2);
      Connection other = begin();
      publish(other, 3);
      publish(transaction, 4);
      store.publish(Outgoing.messages(5, 1));
      assertThat(Outgoing.numbers(disturbedReader.next(10, Outgoing.BYTES))).containsExactly(5);
      other.rollback();
      committing.set(transaction);
      assertThat(Outgoing.numbers(disturbedReader.next(10, Outgoing.BYTES))).isEmpty();
      assertThat(committing).as("committed").hasValue(null);
      assertThat(Outgoing.numbers(disturbedReader.next(10, Outgoing.BYTES))).containsExactly(1, 4);
    }
  }

  /** Commits a transaction just before the gaps are read. */
  private DataSource committingAmidReads(AtomicReference<Connection> transaction) {
    return proxy(
        DataSource.class,
        database.dataSource(),
        (name, connection, arguments) ->
            name.equals("getConnection")
                ? proxy(
                    Connection.class,
                    (Connection) connection,
                    (call, result, sql) -> {
                      if (call.equals("prepareStatement") && ((String) sql[0]).contains("AS g (")) {
                        Connection committing = transaction.getAndSet(null);
                        if (committing != null) {
                          committing.commit();
                        }
                      }
                      return result;
                    })
                : connection);
  }

  private interface After {
    Object call(String name, Object result, Object[] arguments) throws Exception;
  }

  private static <T> T proxy(Class<T> type, T real, After after) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return after.call(method.getName(), method.invoke(real, arguments), arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void aTransactionThatStaysOpenHoldsUpNobodyElse() throws SQLException {
    Connection patient = begin();
    execute(patient, "INSERT INTO effects VALUES ('patient')");
    publish(patient, 1);
    for (int n = 2; n < 100; n++) {
      Connection quick = begin();
      publish(quick, n);
      if (n % 3 == 0) {
        quick.rollback();
        assertThat(nextNumbers()).isEmpty();
      } else {
        quick.commit();
        List<Entry> entries = next();
        assertThat(Outgoing.numbers(entries)).containsExactly(n);
        settle(entries);
      }
      quick.close();
    }
    patient.commit();
    assertThat(nextNumbers()).containsExactly(1);
  }

  @Test
  void itReadsWithADriverThatSetsSavepointsOfItsOwn() throws SQLException {
    DataSource careful = PostgresServer.shared().dataSource(database.url() + "&autosave=always");
    try (JdbiInboxStore another = JdbiInboxStore.create(careful);
        OutboxReader carefulReader = another.openOutbox();
        Connection connection = careful.getConnection()) {
      assertThat(connection.unwrap(PGConnection.class).getAutosave()).isEqualTo(AutoSave.ALWAYS);
      another.open();
      Connection transaction = begin();
      publish(transaction, 1);
      another.publish(Outgoing.messages(2, 1));
      assertThat(Outgoing.numbers(carefulReader.next(10, Outgoing.BYTES))).containsExactly(2);
      transaction.commit();
      List<Entry> entries = carefulReader.next(10, Outgoing.BYTES);
      assertThat(Outgoing.numbers(entries)).containsExactly(1);
      carefulReader.settle(Outgoing.sequences(entries), List.of());
    }
  }

  /** As after a failover to a server that did not have the last commits. */
  @Test
  void aMessageWithTheSequenceOfAnotherOneIsNotRemovedInItsPlace() {
    store.publish(Outgoing.messages(1, 2));
    List<Entry> entries = next();
    database.execute("DELETE FROM outbox_messages");
    database.execute("SELECT setval('outbox_seq', ?, false)", entries.get(0).sequence());
    store.publish(Outgoing.messages(3, 2));
    reader.settle(
        Outgoing.sequences(entries.subList(0, 1)),
        List.of(
            new OutboxReader.Undeliverable(
                entries.get(1).sequence(), OutboxReader.Reason.REJECTED, "too large")));
    assertThat(database.count("SELECT count(*) FROM outbox_dead")).isZero();
    reader.startOver();
    assertThat(nextNumbers()).containsExactly(3, 4);
  }

  @Test
  void aReaderThatBeginsWhileATransactionIsOpenDoesNotMissIt() throws SQLException {
    Connection transaction = begin();
    publish(transaction, 1);
    store.publish(Outgoing.messages(2, 1));
    try (OutboxReader another = store.openOutbox()) {
      assertThat(Outgoing.numbers(another.next(10, Outgoing.BYTES))).containsExactly(2);
      transaction.commit();
      assertThat(Outgoing.numbers(another.next(10, Outgoing.BYTES))).containsExactly(1);
    }
  }

  @Test
  void messagesOfAKeyAreReadInTheOrderOfTheCommits() throws Exception {
    Connection first = begin();
    store.publish(first, List.of(StoredOutgoing.now(Outgoing.keyed(1, "key"))));
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      Callable<Boolean> publishing =
          () -> {
            store.publish(List.of(StoredOutgoing.now(Outgoing.keyed(2, "key"))));
            return true;
          };
      Future<Boolean> second = threads.submit(publishing);
      await()
          .until(
              () ->
                  database.count(
                          "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
                              + " AND classid = 'outbox_messages'::regclass::oid")
                      == 1);
      store.publish(Outgoing.messages(3, 1));
      assertThat(nextNumbers()).as("no other key waits").containsExactly(3);
      publish(first, 4);
      first.commit();
      assertThat(second.get()).isTrue();
      assertThat(nextNumbers()).containsExactly(1, 4, 2);
    } finally {
      threads.shutdown();
    }
  }

  /** Some transactions are long, some are rolled back, one holds an id, and one a snapshot. */
  @Test
  @Tag("slow")
  void whoeverWritesAtOnceNothingIsSkippedNothingIsDoubledAndKeysKeepTheirOrder() throws Exception {
    execute(begin(), "SELECT pg_current_xact_id()");
    Connection old = begin();
    execute(old, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    execute(old, "SELECT 1 FROM outbox_messages");
    int writers = 8;
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    Writing writing = new Writing();
    List<Future<Integer>> written = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      Random random = new Random(i);
      written.add(threads.submit(() -> writing.run(random)));
    }
    threads.shutdown();
    List<Integer> read = new ArrayList<>();
    List<Entry> inFlight = new ArrayList<>();
    Random random = new Random(99);
    while (!threads.isTerminated()) {
      List<Entry> next = reader.next(1 + random.nextInt(50), Outgoing.BYTES);
      read.addAll(Outgoing.numbers(next));
      inFlight.addAll(next);
      if (random.nextInt(3) == 0) {
        settle(inFlight);
        inFlight.clear();
      }
    }
    for (Future<Integer> one : written) {
      assertThat(one.get()).isPositive();
    }
    for (List<Entry> next = next(); !next.isEmpty(); next = next()) {
      read.addAll(Outgoing.numbers(next));
    }
    assertThat(read).doesNotHaveDuplicates();
    assertThat(read).containsExactlyInAnyOrderElementsOf(writing.committed.keySet());
    for (int key = 0; key < Writing.KEYS; key++) {
      String name = "key " + key;
      assertThat(
              read.stream()
                  .filter(n -> writing.keys.getOrDefault(n, "").equals(name))
                  .map(writing.committed::get))
          .as(name)
          .hasSizeGreaterThan(10)
          .isSorted();
    }
  }

  /** What writers do, and what they know afterwards. */
  private final class Writing {

    private static final int KEYS = 5;
    private static final int TRANSACTIONS = 150;

    private final AtomicInteger numbers = new AtomicInteger(1);

    /** The committed messages; those of a key with their place in the order of the commits. */
    private final Map<Integer, Integer> committed = new ConcurrentHashMap<>();

    private final Map<Integer, String> keys = new ConcurrentHashMap<>();
    private final AtomicInteger places = new AtomicInteger();

    int run(Random random) throws Exception {
      try (Connection connection = database.dataSource().getConnection()) {
        connection.setAutoCommit(false);
        for (int i = 0; i < TRANSACTIONS; i++) {
          transaction(connection, random);
        }
      }
      return numbers.get();
    }

    private void transaction(Connection connection, Random random) throws Exception {
      Map<Integer, Integer> mine = new ConcurrentHashMap<>();
      if (random.nextInt(4) == 0) {
        execute(connection, "INSERT INTO effects VALUES ('first')");
      }
      if (random.nextInt(4) == 0) {
        connection.setSavepoint();
      }
      for (int i = random.nextInt(3); i > 0; i--) {
        int n = numbers.getAndIncrement();
        publish(connection, n);
        mine.put(n, 0);
        if (random.nextInt(20) == 0) {
          Thread.sleep(random.nextInt(100)); // a long transaction
        }
      }
      if (random.nextInt(5) == 0) {
        Savepoint undone = connection.setSavepoint();
        publish(connection, numbers.getAndIncrement());
        connection.rollback(undone);
      }
      String key = "key " + random.nextInt(KEYS);
      int first = numbers.getAndAdd(2);
      store.publish(
          connection,
          IntStream.of(first, first + 1)
              .mapToObj(n -> StoredOutgoing.now(Outgoing.keyed(n, key)))
              .toList());
      for (int n = first; n < first + 2; n++) { // nobody else has the key now
        keys.put(n, key);
        mine.put(n, places.incrementAndGet());
      }
      if (random.nextInt(4) == 0) {
        connection.rollback();
      } else {
        connection.commit();
        committed.putAll(mine);
      }
    }
  }

  /** Nobody can remove the rows that were deleted meanwhile, nor skip them in the index. */
  @Test
  void whileAnOldSnapshotIsHeldItDoesNotReadOverWhatItHasDeleted() throws SQLException {
    Connection old = begin();
    execute(old, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    execute(old, "SELECT 1 FROM outbox_messages");
    int rounds = 20;
    int each = 500;
    try (JdbiInboxStore pooled = pooled();
        OutboxReader pooledReader = pooled.openOutbox()) {
      for (int i = 0; i < rounds; i++) {
        pooled.publish(Outgoing.messages(1, each));
        List<Entry> next = pooledReader.next(1_000, Outgoing.BYTES);
        assertThat(next).hasSize(each);
        pooledReader.settle(Outgoing.sequences(next), List.of());
        assertThat(pooledReader.next(1_000, Outgoing.BYTES)).isEmpty();
      }
    }
    assertThat(counted("i.idx_tup_read", rounds * each))
        .isBetween((long) rounds * each, 2L * rounds * each + 100);
  }

  /** A store with sessions of its own, which report what they have done when they end. */
  private JdbiInboxStore pooled() {
    JdbiInboxStore pooled =
        JdbiInboxStore.builder(database.url()).poolSize(2).notifications(false).build();
    pooled.open();
    return pooled;
  }

  /** A statistic, once sessions that have inserted so many rows have reported what they did. */
  private long counted(String statistic, int inserted) {
    long[] last = {-1};
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofSeconds(1))
        .until(
            () -> {
              long before = last[0];
              last[0] = ofTheTable(statistic);
              return last[0] == before && ofTheTable("n_tup_ins") >= inserted;
            });
    return last[0];
  }

  private long ofTheTable(String statistic) {
    return database.count(
        """
        SELECT %s FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid)
        WHERE relid = 'outbox_messages'::regclass
        """
            .formatted(statistic));
  }

  @Test
  void aBacklogIsReadByTheIndexThoughTheTableWasEmptyWhenTheStatementsWerePlanned() {
    try (JdbiInboxStore pooled = pooled();
        OutboxReader pooledReader = pooled.openOutbox()) {
      for (int i = 0; i < 20; i++) {
        pooled.publish(Outgoing.messages(1, 1));
        pooledReader.settle(Outgoing.sequences(pooledReader.next(10, Outgoing.BYTES)), List.of());
        pooled.outboxStatus();
      }
      pooled.publish(Outgoing.messages(1, 20_000));
      for (int i = 0; i < 5; i++) {
        pooledReader.settle(Outgoing.sequences(pooledReader.next(10, Outgoing.BYTES)), List.of());
      }
      assertThat(pooled.outboxStatus().waiting()).as("as far as counted").isEqualTo(10_000);
    }
    assertThat(counted("t.seq_tup_read", 20_020)).isLessThan(10_000);
  }
}
