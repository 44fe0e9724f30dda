package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.MessageIds;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** Messages with an ordering key. */
abstract class OrderingContract extends ContractPart {

  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void messagesOfOneKeyAreClaimedInArrivalOrder() {
    receive("a1", "b1", "a2", "a3", "b2");
    List<String> claimed = claimAll();
    assertThat(claimed).containsExactlyInAnyOrder("a1", "a2", "a3", "b1", "b2");
    assertThat(claimed).containsSubsequence("a1", "a2", "a3");
    assertThat(claimed).containsSubsequence("b1", "b2");
  }

  @Test
  void aClaimTakesThemWithTheMessagesThatHaveNoKey() {
    receive("a1");
    store.receive(endpoint, List.of(event(99)));
    receive("b1");
    try (WorkTransaction transaction = another().begin(endpoint)) {
      assertThat(transaction.claim(TYPES, 10)).hasSize(3);
    }
  }

  @Test
  void nobodyElseGetsTheKeyUntilTheTransactionEnds() {
    receive("a1", "a2", "a3");
    try (WorkTransaction first = store.begin(endpoint);
        WorkTransaction second = another().begin(endpoint)) {
      assertThat(names(first.claim(TYPES, 1))).containsExactly("a1");
      assertThat(second.claim(TYPES, 10)).isEmpty();
      first.commit(List.of());
    }
    assertThat(claimAll()).containsExactly("a1", "a2", "a3");
  }

  @Test
  void aMessageThatIsNotDueHoldsBackItsKeyOnly() {
    receive("a1", "a2", "b1");
    settleOne("a1", seq -> new Outcome.Retry(seq, HOUR, "later"));
    assertThat(claimAll()).containsExactly("b1");
  }

  @Test
  void aTypeThatIsNotKnownHoldsBackItsKeyOnly() {
    store.receive(endpoint, List.of(ordered("a1", "new-type"), ordered("a2"), ordered("b1")));
    assertThat(claimAll()).containsExactly("b1");
  }

  @Test
  void aLongQueueOfAHeldUpKeyDoesNotHideOthersOfItsLane() {
    List<ValidatedDelivery> batch = new ArrayList<>();
    batch.add(ordered("a1", "new-type"));
    for (int i = 2; i <= 300; i++) {
      batch.add(ordered("a" + i));
    }
    for (char key = 'b'; key <= 'z'; key++) {
      batch.add(ordered(key + "1"));
    }
    store.receive(endpoint, batch);
    assertThat(claimAll()).hasSize(25).doesNotContain("a2");
  }

  @Test
  void aDeadMessageThatHoldsItsKeyIsFirstAgainWhenItIsReplayed() {
    receive("a1", "a2", "b1");
    settleOne("a1", seq -> new Outcome.Dead(seq, "broken", true));
    assertThat(claimAll()).containsExactly("b1");
    store.replayDead(mine(), BY, 0, 10);
    assertThat(claimAll())
        .containsExactlyInAnyOrder("a1", "a2", "b1")
        .containsSubsequence("a1", "a2");
  }

  @Test
  void aDeadMessageThatHoldsItsKeyLetsItGoWhenItIsDiscarded() {
    receive("a1", "a2", "b1");
    settleOne("a1", seq -> new Outcome.Dead(seq, "broken", true));
    assertThat(claimAll()).containsExactly("b1");
    store.discardDead(mine(), BY, 0, 10);
    assertThat(claimAll()).containsExactlyInAnyOrder("a2", "b1");
  }

  @Test
  void aDeadMessageThatHoldsNothingLetsItsKeyGoOn() {
    receive("a1", "a2");
    settleOne("a1", seq -> new Outcome.Dead(seq, "broken", false));
    assertThat(claimAll()).containsExactly("a2");
  }

  @Test
  void orphansOfAKeyAreClaimedTogetherAndWhatFollowsWaits() {
    receive("a1", "a2", "a3");
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(transaction.claim(TYPES, 2)).hasSize(2);
    }
    assertThat(claimAll()).containsExactly("a1", "a2");
  }

  @Test
  void aOrphanBehindAFreshMessageOfItsKeyWaits() {
    receive("a1", "a2");
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 2);
    }
    settleOne("a1", seq -> new Outcome.Retry(seq, Duration.ZERO, "again"));
    assertThat(claimAll()).containsExactly("a1");
  }

  @Test
  void nothingIsClaimedBehindAMessageThatIsInAnotherHand() {
    receive("a1", "a2", "b1");
    long first;
    try (WorkTransaction transaction = store.begin(endpoint)) {
      first = sequenceOf(transaction, "a1");
    }
    assertThat(store.markCrashRiskAlone(first, Duration.ZERO)).isTrue();
    try (WorkTransaction recovering = store.begin(endpoint)) {
      assertThat(recovering.reclaim(List.of(first))).hasSize(1);
      assertThat(claimAll()).containsExactly("b1");
    }
  }

  @Test
  void nothingIsClaimedBesideALaterMessageOfItsKeyThatIsLeased() {
    deadAndLater("a1", "a2", "b1");
    try (WorkTransaction leasing = store.begin(endpoint)) {
      List<ClaimedMessage> later = claimFirst(leasing, "a");
      assertThat(names(later)).containsExactly("a2");
      leasing.lease(later, HOUR);
      leasing.commit(List.of());
    }
    store.replayDead(mine(), BY, 0, 10);
    assertThat(claimAll()).containsExactly("b1");
    try (WorkTransaction another = another().begin(endpoint)) {
      assertThat(claimFirst(another, "a")).isEmpty();
    }
  }

  @Test
  void nothingIsClaimedBesideALaterMessageOfItsKeyThatARecoveryHasInFlight() {
    long later = notedBehindADeadOne(HOUR);
    store.replayDead(mine(), BY, 0, 10);
    try (WorkTransaction recovering = store.begin(endpoint)) {
      assertThat(recovering.claimAtRisk(List.of(later))).hasSize(1);
      assertThat(claimAll()).isEmpty();
    }
  }

  @Test
  void aRecoveryGetsNothingBesideAnotherMessageOfItsKeyAndItStaysOrphan() {
    long later = notedBehindADeadOne(HOUR);
    store.replayDead(mine(), BY, 0, 10);
    try (WorkTransaction working = another().begin(endpoint)) {
      assertThat(claim(working)).containsExactly("a1");
      try (WorkTransaction recovering = store.begin(endpoint)) {
        assertThat(recovering.claimAtRisk(List.of(later))).isEmpty();
        recovering.restoreUnclaimed(List.of(atRisk(later)));
        recovering.commit(List.of());
      }
      working.commit(List.of());
    }
    settleOne("a1", Outcome.Processed::new);
    try (WorkTransaction working = another().begin(endpoint)) {
      List<ClaimedMessage> messages = working.claim(TYPES, 10);
      assertThat(names(messages)).containsExactly("a2");
      assertThat(messages.get(0).orphaned()).isTrue();
      assertThat(messages.get(0).crashes()).isZero();
    }
  }

  @Test
  void aRecoveryGetsNothingBesideALeasedMessageOfItsKey() {
    long later = notedBehindADeadOne(Duration.ZERO);
    store.replayDead(mine(), BY, 0, 10);
    try (WorkTransaction leasing = store.begin(endpoint)) {
      leasing.lease(claimFirst(leasing, "a"), HOUR);
      leasing.commit(List.of());
    }
    assertThat(store.markCrashRiskAlone(later, Duration.ZERO)).isTrue();
    try (WorkTransaction recovering = store.begin(endpoint)) {
      assertThat(recovering.claimAtRisk(List.of(later))).isEmpty();
      assertThat(recovering.claimDue(List.of(later))).isEmpty();
    }
  }

  /** Of a key a dead first message and a later one that is noted to be handled; its sequence. */
  private long notedBehindADeadOne(Duration holdBack) {
    deadAndLater("a1", "a2");
    long later;
    try (WorkTransaction dying = another().begin(endpoint)) {
      later = dying.claim(TYPES, 1).get(0).sequence();
    }
    assertThat(store.markCrashRiskAlone(later, holdBack)).isTrue();
    return later;
  }

  private void deadAndLater(String dead, String... later) {
    receive(dead);
    receive(later);
    settleOne(dead, seq -> new Outcome.Dead(seq, "broken", false));
  }

  /** Claims the first messages of keys, as leased handlers do, lane by lane; that of this key. */
  private static List<ClaimedMessage> claimFirst(WorkTransaction transaction, String key) {
    Set<Long> seen = new HashSet<>();
    while (true) {
      List<ClaimedMessage> messages = transaction.claimFirstOfKeys(TYPES, 1);
      if (messages.isEmpty() || !seen.add(messages.get(0).sequence())) {
        return List.of();
      }
      if (key.equals(messages.get(0).orderingKey())) {
        return messages;
      }
    }
  }

  private static ClaimedMessage atRisk(long sequence) {
    return new ClaimedMessage(
        sequence,
        new UUID(0, 0),
        TYPE,
        null,
        new byte[0],
        null,
        null,
        null,
        false,
        Instant.EPOCH,
        Instant.EPOCH,
        Duration.ZERO,
        0,
        "a",
        0,
        1,
        true);
  }

  private static long sequenceOf(WorkTransaction transaction, String name) {
    List<ClaimedMessage> messages = new ArrayList<>();
    List<ClaimedMessage> more;
    do {
      more = transaction.claim(TYPES, 100);
      messages.addAll(more);
    } while (messages.size() < 3 && !more.isEmpty());
    return messages.stream()
        .filter(it -> names(List.of(it)).contains(name))
        .findFirst()
        .orElseThrow()
        .sequence();
  }

  /** Claims the first message of its key, which must be this one, and settles only it. */
  private void settleOne(String name, LongFunction<Outcome> outcome) {
    List<WorkTransaction> open = new ArrayList<>();
    try {
      while (true) {
        WorkTransaction transaction = another().begin(endpoint);
        open.add(transaction);
        List<ClaimedMessage> messages = transaction.claim(TYPES, 1);
        assertThat(messages).as("a claim that has %s", name).isNotEmpty();
        if (names(messages).contains(name)) {
          transaction.commit(List.of(outcome.apply(messages.get(0).sequence())));
          return;
        }
      }
    } finally {
      open.forEach(WorkTransaction::close);
    }
  }

  /** The names of all that can be claimed now, lane by lane. */
  private List<String> claimAll() {
    List<String> names = new ArrayList<>();
    List<WorkTransaction> open = new ArrayList<>();
    List<String> claimed;
    do {
      WorkTransaction transaction = another().begin(endpoint);
      open.add(transaction);
      claimed = claim(transaction);
      names.addAll(claimed);
    } while (!claimed.isEmpty());
    // Committed without outcomes: they are free again, and not orphan.
    open.forEach(transaction -> transaction.commit(List.of()));
    open.forEach(WorkTransaction::close);
    return names;
  }

  private List<String> claim(WorkTransaction transaction) {
    return names(transaction.claim(TYPES, 100));
  }

  private static List<String> names(List<ClaimedMessage> messages) {
    return messages.stream().map(it -> new String(it.body(), StandardCharsets.UTF_8)).toList();
  }

  private void receive(String... names) {
    List<ValidatedDelivery> batch = new ArrayList<>();
    for (String name : names) {
      batch.add(ordered(name));
    }
    store.receive(endpoint, batch);
  }

  private ValidatedDelivery ordered(String name) {
    return ordered(name, TYPE);
  }

  /** A message whose body is its name and whose key is the first letter of it. */
  private ValidatedDelivery ordered(String name, String type) {
    UUID id = MessageIds.of(endpoint, name);
    return new ValidatedDelivery.Event(
        delivery(id.toString(), type, name), null, id, type, name.substring(0, 1), null);
  }
}
