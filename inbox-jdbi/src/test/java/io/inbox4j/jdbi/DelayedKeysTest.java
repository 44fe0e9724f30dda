package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What it costs to claim messages with ordering keys among many that are not due. */
@Timeout(60)
class DelayedKeysTest {

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);

  @AfterEach
  void close() {
    store.close();
  }

  /** Messages of as many keys, numbered from the first on. */
  private void add(String key, int first, int last, String due) {
    database.execute(
        """
        WITH m AS (
          INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered, ordering_key)
          SELECT 'orders', gen_random_uuid(), 'created', '{}', false, replace(?, '#', n::text)
          FROM generate_series(?::int, ?::int) n ORDER BY n
          RETURNING seq, ordering_key
        )
        INSERT INTO inbox_pending (seq, endpoint, type, ordering_key, lane, due_on_utc)
        SELECT seq, 'orders', 'created', ordering_key,
               CASE WHEN due > now() THEN (-1 - inbox_lane(ordering_key, seq))::smallint
                    ELSE inbox_lane(ordering_key, seq) END, due
        FROM m, (SELECT now() + ?::interval AS due) d
        """,
        key,
        first,
        last,
        due);
  }

  /** Claims and processes until there is nothing left; the keys in the order of their messages. */
  private List<String> drain() {
    return drain(store);
  }

  private static List<String> drain(JdbiInboxStore store) {
    List<String> keys = new ArrayList<>();
    List<ClaimedMessage> messages;
    do {
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        messages = transaction.claim(Messages.TYPES, 100);
        messages.forEach(it -> keys.add(it.orderingKey()));
        transaction.commit(
            messages.stream().<Outcome>map(it -> new Outcome.Processed(it.sequence())).toList());
      }
    } while (!messages.isEmpty());
    return keys;
  }

  /** How many entries of indexes of pending messages were read since they were last counted. */
  private long read(Runnable work) {
    database.execute("VACUUM ANALYZE inbox_pending");
    database.execute(
        "SELECT pg_stat_reset_single_table_counters(indexrelid)"
            + " FROM pg_stat_user_indexes WHERE relid = 'inbox_pending'::regclass");
    work.run();
    String reads =
        "SELECT coalesce(sum(idx_tup_read), 0)::bigint FROM pg_stat_user_indexes"
            + " WHERE relid = 'inbox_pending'::regclass";
    await().until(() -> database.count(reads) > 0);
    return database.count(reads);
  }

  @Test
  void messagesThatAreNotDueCostNothing() {
    add("later #", 1, 20_000, "1 day");
    add("now #", 1, 100, "0 s");
    List<String> claimed = new ArrayList<>();

    long read = read(() -> claimed.addAll(drain()));

    assertThat(claimed).hasSize(100).allMatch(key -> key.startsWith("now"));
    assertThat(read).isLessThan(5_000);
  }

  @Test
  void whatWaitsBehindThemIsLookedAtOnce() {
    add("later #", 1, 5_000, "1 day");
    add("later #", 1, 200, "0 s");
    add("one", 1, 1, "1 day");
    add("one", 1, 500, "0 s");
    add("now #", 1, 100, "0 s");
    assertThat(drain()).hasSize(100).allMatch(key -> key.startsWith("now"));
    add("next #", 1, 100, "0 s");
    List<String> claimed = new ArrayList<>();

    long read = read(() -> claimed.addAll(drain()));

    assertThat(claimed).hasSize(100).allMatch(key -> key.startsWith("next"));
    assertThat(read).isLessThan(5_000);
  }

  @Test
  void aLaneOfWhichNothingCanBeHandledHidesNoOtherHoweverTheServerPlans() {
    String last =
        database.one(
            String.class,
            "SELECT 'last ' || n FROM generate_series(1, 10000) n"
                + " WHERE inbox_lane('last ' || n, 0) = 127 LIMIT 1");
    add(last, 1, 1, "1 day");
    add(last, 2, 2, "-1 h");
    add("later #", 1, 24, "1 day");
    add("soon #", 1, 16, "-10 s");
    database.execute(
        """
        INSERT INTO inbox_pending (seq, endpoint, type, ordering_key, lane, due_on_utc)
        SELECT 1000 + n, 'others', 'created', 'k' || n % 60,
               CASE WHEN n % 5 < 2 THEN lane ELSE -1 - lane END,
               now() + CASE WHEN n % 5 < 2 THEN interval '-10 s' ELSE interval '1 day' END
        FROM generate_series(1, 80) n, LATERAL (SELECT inbox_lane('k' || n % 60, n)) l (lane)
        """);
    database.execute("ANALYZE inbox_pending");
    for (int i = 0; i < 4; i++) {
      add("now #", 1, 60, "-1 s");
    }
    String hashing =
        "&options=-c%20enable_nestloop=off%20-c%20enable_mergejoin=off%20-c%20enable_hashagg=off";
    try (JdbiInboxStore joining = JdbiInboxStore.connect(database.url() + hashing)) {
      assertThat(drain(joining)).hasSize(256);
    }
  }

  @Test
  void aKeyGoesOnInArrivalOrderWhenItsFirstMessageIsDue() {
    add("a", 1, 3, "0 s");
    add("b", 1, 3, "0 s");
    database.execute(
        "UPDATE inbox_pending SET due_on_utc = now() - make_interval(secs => (10 - seq)::int)");
    database.execute(
        "UPDATE inbox_pending SET due_on_utc = now() + interval '1 day', lane = -1 - lane"
            + " WHERE seq = 1");
    assertThat(drain()).containsExactly("b", "b", "b");
    store.expeditePending(MessageFilter.all(), "anna", 0, 1);
    assertThat(drain()).containsExactly("a", "a", "a");
    assertThat(database.texts("SELECT seq FROM inbox_processed ORDER BY processed_on_utc, seq"))
        .containsExactly("4", "5", "6", "1", "2", "3");
  }
}
