package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class LanesTest {

  private static final Duration LONGER_THAN_POSITIONS_LAG = Duration.ofMillis(300);
  private static final String LOCKED_LANES =
      "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
          + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);
  private final JdbiInboxStore another = Messages.store(database);

  @AfterEach
  void close() {
    store.close();
    another.close();
  }

  private void addOfKey(String key, int count) {
    database.execute(
        """
        WITH m AS (
          INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered, ordering_key)
          SELECT 'orders', gen_random_uuid(), 'created', '{}', false, ? FROM generate_series(1, ?) n
          RETURNING seq, ordering_key
        )
        INSERT INTO inbox_pending (seq, endpoint, type, ordering_key, lane)
        SELECT seq, 'orders', 'created', ordering_key, inbox_lane(ordering_key, seq) FROM m
        """,
        key,
        count);
  }

  private static List<Long> claim(JdbiInboxStore store, int limit) {
    return Messages.settle(store, limit, Outcome.Processed::new).stream()
        .map(ClaimedMessage::sequence)
        .toList();
  }

  @Test
  void neighboursShareALaneAndManyLanesAreClaimedAtOnceWhenThereIsLittleInEach() {
    store.receive(Messages.ENDPOINT, Messages.events(1_000));
    assertThat(database.count("SELECT count(DISTINCT lane) FROM inbox_pending")).isBetween(8L, 9L);
    assertThat(claim(store, 1_000)).hasSize(1_000).isSorted();
  }

  @Test
  void aClaimLocksNoLaneInVain() {
    store.receive(Messages.ENDPOINT, Messages.events(10));
    try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      assertThat(transaction.claim(Messages.TYPES, 10)).hasSize(10);
      assertThat(database.count(LOCKED_LANES)).isBetween(1L, 2L);
      transaction.commit(List.of());
    }
    assertThat(database.count(LOCKED_LANES)).isZero();
    try (WorkTransaction transaction = store.begin("nothing there")) {
      assertThat(transaction.claim(Messages.TYPES, 10)).isEmpty();
      assertThat(database.count(LOCKED_LANES)).isZero();
    }
  }

  @Test
  void whereOthersHaveLockedAllLanesMessagesWithoutAKeyAreClaimedAllTheSame() {
    store.receive(Messages.ENDPOINT, Messages.events(60));
    List<WorkTransaction> open = new ArrayList<>();
    Set<Long> claimed = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      WorkTransaction transaction = (i % 2 == 0 ? store : another).begin(Messages.ENDPOINT);
      open.add(transaction);
      transaction.claim(Messages.TYPES, 5).forEach(it -> claimed.add(it.sequence()));
    }
    open.forEach(WorkTransaction::close);
    assertThat(claimed).hasSize(60);
  }

  @Test
  void aMessageThatComesBackIsFoundAtOnceHoweverFarClaimsHaveCome() throws Exception {
    store.receive(Messages.ENDPOINT, Messages.events(50));
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ZERO, "again"));
    while (!claim(store, 7).isEmpty()) {
      Thread.sleep(LONGER_THAN_POSITIONS_LAG.toMillis() / 10);
    }
    database.execute("TRUNCATE inbox_dead");
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "broken"));
    store.receive(Messages.ENDPOINT, List.of(Messages.event(100)));
    long dead = Messages.settle(store, 1, it -> new Outcome.Dead(it, "broken")).get(0).sequence();
    store.receive(Messages.ENDPOINT, Messages.events(300).subList(101, 300));
    assertThat(claim(store, 200)).hasSize(199);
    Thread.sleep(LONGER_THAN_POSITIONS_LAG.toMillis());
    assertThat(claim(store, 1)).isEmpty();
    store.replayDead(MessageFilter.all(), "anna", 0, 10);
    assertThat(claim(store, 10)).containsExactly(dead);
  }

  @Test
  void aKeyKeepsItsOrderWhenAMessageHasComeBackThatWasNotHandled() throws Exception {
    addOfKey("a", 1);
    long first =
        Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ZERO, "again"))
            .get(0)
            .sequence();
    Thread.sleep(LONGER_THAN_POSITIONS_LAG.toMillis());
    assertThat(store.backlog(Messages.ENDPOINT).pending()).isOne();
    try (WorkTransaction transaction = another.begin(Messages.ENDPOINT)) {
      assertThat(transaction.claim(Messages.TYPES, 1)).hasSize(1);
      transaction.commit(List.of());
    }
    assertThat(database.count("SELECT count(*) FROM inbox_pending WHERE lane >= 0")).isOne();
    addOfKey("a", 3);
    assertThat(claim(store, 2).get(0)).isEqualTo(first);
    assertThat(claim(store, 9)).isSorted().hasSize(2);
  }

  @Test
  void whatIsBehindAMessageThatWaitsIsHeldAndFollowsItAtOnce() {
    addOfKey("a", 5);
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ofSeconds(1), "again"));
    assertThat(claim(store, 9)).isEmpty();
    assertThat(database.count("SELECT count(*) FROM inbox_pending WHERE lane < -128")).isEqualTo(4);
    List<Long> claimed = new ArrayList<>();
    await().until(() -> claimed.addAll(claim(store, 9)) || claimed.size() == 5);
    await().until(() -> !claimed.addAll(claim(store, 9)) && claimed.size() == 5);
    assertThat(claimed).isSorted();
  }

  @Test
  void whatIsBehindADeadMessageIsHeldUntilItIsReplayed() {
    addOfKey("a", 4);
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "broken", true));
    assertThat(claim(store, 9)).isEmpty();
    assertThat(database.count("SELECT count(*) FROM inbox_pending WHERE lane < -128")).isEqualTo(3);
    another.replayDead(MessageFilter.all(), "anna", 0, 10);
    assertThat(claim(another, 9)).isSorted().hasSize(4);
  }

  @Test
  void aHeldMessageThatWasInFlightWhenAWorkerDiedStaysOrphaned() {
    addOfKey("a", 2);
    List<Long> both =
        database
            .jdbi()
            .withHandle(
                handle ->
                    handle
                        .select("SELECT seq FROM inbox_pending ORDER BY seq")
                        .mapTo(Long.class)
                        .list());
    try (WorkTransaction dying = store.begin(Messages.ENDPOINT)) {
      assertThat(dying.claim(Messages.TYPES, 2)).hasSize(2);
    }
    try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      assertThat(transaction.claim(Messages.TYPES, 1)).hasSize(1);
      transaction.commit(List.of(new Outcome.Retry(both.get(0), Duration.ofMillis(500), "again")));
    }
    assertThat(claim(store, 9)).as("the second one is held").isEmpty();
    List<ClaimedMessage> claimed = new ArrayList<>();
    await()
        .until(
            () -> {
              claimed.addAll(Messages.settle(store, 9, Outcome.Processed::new));
              return claimed.size() == 2;
            });
    assertThat(claimed).extracting(ClaimedMessage::sequence).isEqualTo(both);
    assertThat(claimed).extracting(ClaimedMessage::orphaned).containsExactly(false, true);
  }

  @Test
  void workersOfManyStoresTakeEachMessageOnceAndEachKeyInOrder() throws Exception {
    int keys = 40;
    for (int i = 0; i < 10; i++) {
      IntStream.range(0, keys).forEach(key -> addOfKey("key " + key, 2));
      store.receive(Messages.ENDPOINT, Messages.events((i + 1) * 40).subList(i * 40, (i + 1) * 40));
    }
    int all = 10 * (keys * 2 + 40);
    List<Thread> workers = new ArrayList<>();
    List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 6; i++) {
      JdbiInboxStore mine = i % 2 == 0 ? store : another;
      int worker = i;
      Thread thread = new Thread(() -> work(mine, worker));
      thread.setUncaughtExceptionHandler((same, e) -> failures.add(e));
      workers.add(thread);
      thread.start();
    }
    for (Thread worker : workers) {
      worker.join();
    }
    assertThat(failures).isEmpty();
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(all);
    assertThat(database.count("SELECT count(DISTINCT seq) FROM inbox_processed")).isEqualTo(all);
    assertThat(
            database.count(
                """
                SELECT count(*) FROM (
                  SELECT seq, processed_on_utc,
                         lag(processed_on_utc) OVER (PARTITION BY ordering_key ORDER BY seq) AS before
                  FROM inbox_processed JOIN inbox_messages USING (seq)
                  WHERE ordering_key IS NOT NULL) p
                WHERE processed_on_utc < before
                """))
        .as("messages of a key that were handled before an earlier one")
        .isZero();
  }

  /** Handles until nothing is left; every fifth message fails once, and some batches are undone. */
  private void work(JdbiInboxStore mine, int worker) {
    int round = worker;
    while (database.count("SELECT count(*) FROM inbox_pending") > 0) {
      try (WorkTransaction transaction = mine.begin(Messages.ENDPOINT)) {
        List<ClaimedMessage> messages = transaction.claim(Messages.TYPES, 1 << round % 6);
        Set<String> failed = new HashSet<>();
        List<Outcome> outcomes = new ArrayList<>();
        for (ClaimedMessage message : messages) {
          if (failed.contains(message.orderingKey())) {
            continue;
          }
          if (message.attempts() == 0 && message.sequence() % 5 == 0) {
            if (message.orderingKey() != null) {
              failed.add(message.orderingKey());
            }
            outcomes.add(new Outcome.Retry(message.sequence(), Duration.ofMillis(30), "again"));
          } else {
            outcomes.add(new Outcome.Processed(message.sequence()));
          }
        }
        if (++round % 7 != 0) {
          transaction.commit(outcomes);
        }
      }
    }
  }
}
