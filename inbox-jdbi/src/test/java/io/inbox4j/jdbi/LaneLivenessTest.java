package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever can be claimed is found soon, whatever else there is. */
@Tag("slow")
class LaneLivenessTest {

  private static final Set<String> CREATED = Set.of("created");
  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);
  private final JdbiInboxStore another = Messages.store(database);

  @AfterEach
  void close() {
    store.close();
    another.close();
  }

  private static final String ADD =
      """
      WITH m AS (
        INSERT INTO inbox_messages (seq, endpoint, message_id, type, body, redelivered, ordering_key)
        OVERRIDING SYSTEM VALUE
        SELECT n, 'orders', gen_random_uuid(), ?, '{}', false, ?::text FROM generate_series(?, ?) n
        RETURNING seq, type, ordering_key
      )
      INSERT INTO inbox_pending (seq, endpoint, type, ordering_key, lane)
      SELECT seq, 'orders', type, ordering_key, inbox_lane(ordering_key, seq) FROM m
      """;

  private void add(String type, String key, long from, long to) {
    database.execute(ADD, type, key, from, to);
  }

  private String keyWithLaneOf(String key) {
    return database.one(
        String.class,
        "SELECT 'k' || n FROM generate_series(1, 10000) n WHERE inbox_lane('k' || n, 0) = inbox_lane(?, 0) LIMIT 1",
        key);
  }

  private record Claimed(List<Long> sequences, boolean more) {}

  private static Claimed claim(JdbiInboxStore store, Set<String> types, int limit) {
    try (WorkTransaction transaction = store.begin("orders")) {
      List<Long> sequences =
          transaction.claim(types, limit).stream().map(ClaimedMessage::sequence).toList();
      boolean more = transaction.mayHaveMore();
      transaction.commit(sequences.stream().<Outcome>map(Outcome.Processed::new).toList());
      return new Claimed(sequences, more);
    }
  }

  private static List<Long> claims(JdbiInboxStore store, Set<String> types, int limit, int times)
      throws Exception {
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      all.addAll(claim(store, types, limit).sequences);
      Thread.sleep(20);
    }
    return all;
  }

  /** 300 held messages of a lane that a slow worker has locked hide all that is parked. */
  @Test
  void whatIsParkedInOneLockedLaneDoesNotKeepOthersParked() throws Exception {
    String b = keyWithLaneOf("a");
    add("created", b, 1, 301);
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "broken", true));
    for (int i = 0, m = 1; m == 1 && i < 30; i++) {
      m = claim(store, CREATED, 300).more ? 1 : 0;
    }
    assertThat(database.count("SELECT count(*) FROM inbox_pending WHERE lane < -128"))
        .isEqualTo(300);
    add("created", "a", 1000, 1000);
    try (WorkTransaction slow = store.begin("orders")) {
      assertThat(slow.claim(CREATED, 10)).hasSize(1);
      database.execute(
          "UPDATE inbox_pending SET due_on_utc = now() WHERE lane < -128"); // 5 min later
      add("created", null, 5000, 5000);
      Messages.settle(another, 10, it -> new Outcome.Retry(it, Duration.ofMillis(50), "again"));
      add("created", "other key", 6000, 6000);
      Thread.sleep(100);
      assertThat(claims(another, CREATED, 10, 50)).contains(6000L, 5000L);
    }
  }

  private void unknownAround() {
    add("unknown", null, 10, 10); // lane 0
    add("unknown", null, 128 * 9 + 1, 128 * 9 + 1); // lane 9
  }

  /** Unparked by a process that does not handle the type: others have passed its position. */
  @Test
  void whatAnotherProcessHasMovedBackIsFound() throws Exception {
    unknownAround();
    add("created", null, 641, 660);
    assertThat(
            Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ofSeconds(4), "again")))
        .hasSize(1);
    for (int i = 0; i < 4; i++) {
      claims(store, CREATED, 5, 1);
      Thread.sleep(250);
    }
    Thread.sleep(3500);
    claims(another, Set.of("something else"), 5, 1);
    assertThat(claims(store, CREATED, 5, 200)).containsExactly(641L);
  }

  /** The same in one process: claims for fewer types, because a type's limit is reached. */
  @Test
  void whatAClaimForOtherTypesHasMovedBackIsFound() throws Exception {
    unknownAround();
    add("created", null, 641, 660);
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ofSeconds(4), "again"));
    for (int i = 0; i < 4; i++) {
      claims(store, CREATED, 5, 1);
      Thread.sleep(250);
    }
    Thread.sleep(3500);
    claims(store, Set.of("fast"), 5, 1);
    assertThat(claims(store, CREATED, 5, 200)).containsExactly(641L);
  }

  /** Messages that were claimed without the lane's lock, and rolled back. */
  @Test
  void whatWasRolledBackIsFound() throws Exception {
    unknownAround();
    add("created", null, 641, 700);
    try (WorkTransaction dying = another.begin("orders")) {
      WorkTransaction first = store.begin("orders");
      assertThat(first.claim(CREATED, 1)).hasSize(1);
      assertThat(dying.claim(CREATED, 5)).hasSize(5);
      first.commit(List.of(new Outcome.Processed(641)));
      first.close();
      for (int i = 0; i < 6; i++) {
        Thread.sleep(250);
        claims(store, CREATED, 5, 1);
      }
      Thread.sleep(250);
    }
    List<Long> rest = claims(store, CREATED, 20, 200);
    assertThat(rest).contains(642L);
  }

  /** A message that was stored by a transaction that took 1 s. */
  @Test
  void whatCommitsLateIsFound() throws Exception {
    unknownAround();
    try (Handle late = database.jdbi().open()) {
      late.begin();
      late.execute(ADD, "created", null, 641, 641);
      add("created", null, 642, 700);
      for (int i = 0; i < 4; i++) {
        claims(store, CREATED, 5, 1);
        Thread.sleep(250);
      }
      late.commit();
    }
    List<Long> rest = claims(store, CREATED, 20, 200);
    assertThat(rest).contains(641L);
  }

  @Test
  void aGlanceThatSeesParkedMessagesDoesNotShowAll() {
    add("created", null, 385, 385); // lane 3
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ZERO, "again"));
    add("created", null, 386, 386);
    add("created", null, 3841, 3841); // lane 30
    add("created", null, 7681, 7681); // lane 60
    Claimed claimed = claim(another, CREATED, 10);
    assertThat(claimed.sequences.size() == 4 || claimed.more).isTrue();
  }

  @Test
  void aKeyThatIsHeldUpByATypeHoldsUpOnlyItself() throws Exception {
    String b = keyWithLaneOf("a");
    add("unknown", "a", 1, 1);
    add("created", "a", 2, 4300);
    add("created", b, 5000, 5000);
    List<Long> found = claims(store, CREATED, 10, 10);
    assertThat(found).contains(5000L);
  }

  @Test
  void aTypeIsFoundAtOnceBehindOthers() throws Exception {
    for (int lane = 0; lane < 64; lane++) {
      add("slow", null, 8192 + lane * 128, 8192 + lane * 128 + 1);
    }
    List<Integer> counts = new ArrayList<>();
    for (int lane = 60; lane > 20; lane -= 7) {
      add("fast", null, 2 * 8192 + lane * 128, 2 * 8192 + lane * 128);
      int n = 0;
      for (Claimed claimed = null;
          claimed == null || (claimed.sequences.isEmpty() && n < 40);
          n++) {
        claimed = claim(another, Set.of("fast"), 10);
      }
      counts.add(n);
    }
    assertThat(counts).allMatch(n -> n <= 1);
  }

  @Test
  void aRetryWithoutAKeyDoesNotWaitForASlowNeighbour() throws Exception {
    add("created", null, 641, 643);
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ofMillis(200), "again"));
    try (WorkTransaction slow = store.begin("orders")) {
      assertThat(slow.claim(CREATED, 1)).hasSize(1);
      Thread.sleep(300);
      List<Long> found = claims(another, CREATED, 10, 50);
      assertThat(found).containsExactlyInAnyOrder(643L, 641L);
    }
  }

  /** A retry that is due waits until all held messages of a blocked key were looked at. */
  @Test
  void heldMessagesDoNotKeepARetryWaiting() throws Exception {
    add("created", "b", 1, 1001);
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "broken", true));
    for (int i = 0, m = 1; m == 1 && i < 30; i++) {
      m = claim(store, CREATED, 500).more ? 1 : 0;
    }
    assertThat(database.count("SELECT count(*) FROM inbox_pending WHERE lane < -128"))
        .isEqualTo(1000);
    add("created", null, 20_000, 20_000);
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ofMillis(10), "again"));
    database.execute(
        "UPDATE inbox_pending SET due_on_utc = now() - interval '1 s' WHERE lane < -128");
    add("created", null, 30_000, 33_000);
    Thread.sleep(50);
    int n = 0;
    for (Claimed claimed = null;
        claimed == null || (!claimed.sequences.contains(20_000L) && n < 1500);
        n++) {
      claimed = claim(store, CREATED, 1);
    }
    assertThat(n).isLessThan(20);
  }

  /** Discarding held messages together with the one that holds them up. */
  @Test
  void whatIsHeldCanBeDiscarded() throws Exception {
    add("created", "a", 1, 5);
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ofMinutes(50), "again"));
    claim(store, CREATED, 10);
    store.discardPending(MessageFilter.all(), "anna", 0, 10);
    assertThat(database.count("SELECT count(*) FROM inbox_pending")).isZero();
  }

  /** A replay while a worker that has seen the dead message is still working. */
  @Test
  void whatIsReplayedWhileAWorkerHoldsWhatIsBehindItLetsItGo() throws Exception {
    String b = keyWithLaneOf("a");
    add("created", "a", 1, 3);
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "broken", true));
    add("created", b, 100, 100);
    try (WorkTransaction slow = store.begin("orders")) {
      assertThat(slow.claim(CREATED, 10)).hasSize(1);
      another.replayDead(MessageFilter.all(), "anna", 0, 10);
      slow.commit(List.of(new Outcome.Processed(100)));
    }
    List<Long> found = claims(store, CREATED, 10, 100);
    assertThat(found).containsExactly(1L, 2L, 3L);
  }

  /** No part of the lanes waits until the others are empty. */
  @Test
  void lanesTakeTurns() {
    add("created", null, 8192, 2 * 8192 - 1);
    Set<Long> quarters = new HashSet<>();
    for (int i = 0; i < 280; i++) { // a third of what there is: 22 lanes, if it were lane by lane
      claim(store, CREATED, 10).sequences.forEach(seq -> quarters.add((seq >> 7 & 63) / 16));
    }
    assertThat(quarters).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
  }
}
