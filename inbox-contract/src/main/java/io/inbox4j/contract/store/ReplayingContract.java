package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.OperatorStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

abstract class ReplayingContract extends ContractPart {

  @Test
  void aReplayedMessageIsDueAtOnceWithAllItsAttempts() {
    receive(1);
    retry(Duration.ZERO);
    kill("broken");
    assertThat(dead().get(0).attempts()).isEqualTo(2);
    List<DeadMessage> replayed = store.replayDead(mine(), BY, 0, 10);
    assertThat(replayed).singleElement().extracting("messageId").isEqualTo(id(0));
    assertThat(dead()).isEmpty();
    assertThat(process()).singleElement().extracting("attempts").isEqualTo(0);
  }

  @Test
  void deadMessagesAreReplayedInPagesInArrivalOrder() {
    receive(5);
    kill("broken");
    List<DeadMessage> first = store.replayDead(mine(), BY, 0, 2);
    List<DeadMessage> second = store.replayDead(mine(), BY, first.get(1).sequence(), 2);
    List<DeadMessage> third = store.replayDead(mine(), BY, second.get(1).sequence(), 2);
    assertThat(first).extracting(DeadMessage::messageId).isEqualTo(ids(0, 2));
    assertThat(second).extracting(DeadMessage::messageId).isEqualTo(ids(2, 2));
    assertThat(third).extracting(DeadMessage::messageId).isEqualTo(ids(4, 1));
    assertThat(ids(process())).isEqualTo(ids(0, 5));
  }

  @Test
  void aSecondReplayReplaysNothing() {
    receive(3);
    kill("broken");
    assertThat(store.replayDead(mine(), BY, 0, 10)).hasSize(3);
    assertThat(store.replayDead(mine(), BY, 0, 10)).isEmpty();
    assertThat(process()).hasSize(3);
    assertThat(store.replayDead(mine(), BY, 0, 10)).isEmpty();
    assertThat(process()).isEmpty();
  }

  @Test
  void replaysAtTheSameTimeReplayEachMessageOnce() throws Exception {
    receive(100);
    kill("broken");
    int threads = 3;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CyclicBarrier barrier = new CyclicBarrier(threads);
    List<Future<List<Long>>> results = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      InboxStore mine = another();
      Callable<List<Long>> replay =
          () -> {
            List<Long> replayed = new ArrayList<>();
            barrier.await();
            List<DeadMessage> page;
            do {
              page = mine.replayDead(mine(), BY, 0, 9);
              page.forEach(message -> replayed.add(message.sequence()));
            } while (!page.isEmpty());
            return replayed;
          };
      results.add(pool.submit(replay));
    }
    List<Long> all = new ArrayList<>();
    for (Future<List<Long>> result : results) {
      all.addAll(result.get());
    }
    pool.shutdown();
    assertThat(all).hasSize(100).doesNotHaveDuplicates();
    assertThat(store.interventions(Intervention.Origin.DEAD, mine(), 1_000)).hasSize(100);
    assertThat(process()).hasSize(100);
  }

  @Test
  void aFilterChoosesDeadMessages() {
    receive(2);
    kill("java.io.IOException: the disk is full");
    String other = endpoint + "-other";
    store.receive(other, List.of(event(id(9), "cancelled", "{}")));
    try (WorkTransaction transaction = another().begin(other)) {
      long sequence = transaction.claim(Set.of("cancelled"), 1).get(0).sequence();
      transaction.commit(List.of(new Outcome.Dead(sequence, "no stock")));
    }
    assertThat(store.listDead(mine(), 10)).hasSize(2);
    assertThat(store.listDead(mine(), 1)).hasSize(1);
    assertThat(store.listDead(mine().types(Set.of("cancelled")), 10)).isEmpty();
    assertThat(store.listDead(mine().types(Set.of("cancelled", TYPE)), 10)).hasSize(2);
    assertThat(store.listDead(mine().text("disk is"), 10)).hasSize(2);
    assertThat(store.listDead(mine().text("d%k"), 10)).as("no pattern").isEmpty();
    assertThat(store.listDead(mine().text("stock"), 10)).isEmpty();
    assertThat(store.listDead(mine().olderThan(Duration.ZERO), 10)).hasSize(2);
    assertThat(store.listDead(mine().olderThan(Duration.ofHours(1)), 10)).isEmpty();
    assertThat(store.listDead(MessageFilter.all().text("stock").types(Set.of("cancelled")), 100))
        .extracting(DeadMessage::endpoint)
        .contains(other)
        .doesNotContain(endpoint);
    assertThat(store.replayDead(mine().text("stock"), BY, 0, 10)).isEmpty();
    assertThat(store.replayDead(mine().olderThan(Duration.ofHours(1)), BY, 0, 10)).isEmpty();
    assertThat(store.replayDead(MessageFilter.all().endpoint(other), BY, 0, 10)).hasSize(1);
    assertThat(dead()).hasSize(2);
  }

  @Test
  void quarantinedDeliveriesThatPassNowAreHandledAndTheRestStay() {
    store.receive(
        endpoint,
        List.of(
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "good"),
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "bad"),
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "fine")));
    OperatorStore.ReplayPage page = store.replayQuarantined(mine(), BY, 0, 10, this::unlessBad);
    assertThat(page.seen()).isEqualTo(3);
    assertThat(page.replayed())
        .extracting(ValidatedDelivery.Event::messageId)
        .containsExactly(idOf("good"), idOf("fine"));
    assertThat(bodies()).containsExactly("bad");
    assertThat(ids(process())).containsExactly(idOf("good"), idOf("fine"));
    assertThat(store.replayQuarantined(mine(), BY, 0, 10, this::unlessBad).replayed()).isEmpty();
  }

  @Test
  void theQuarantineIsReplayedInPages() {
    store.receive(
        endpoint,
        List.of(
            rejected(QuarantineReason.BAD_ID, TYPE, "bad"),
            rejected(QuarantineReason.BAD_ID, TYPE, "one"),
            rejected(QuarantineReason.BAD_ID, TYPE, "two")));
    OperatorStore.ReplayPage first = store.replayQuarantined(mine(), BY, 0, 2, this::unlessBad);
    OperatorStore.ReplayPage second =
        store.replayQuarantined(mine(), BY, first.last(), 2, this::unlessBad);
    assertThat(first.seen()).isEqualTo(2);
    assertThat(second.seen()).isEqualTo(1);
    assertThat(bodies()).containsExactly("bad");
    assertThat(process()).hasSize(2);
  }

  @Test
  void aPageOfLargeDeliveriesHasFewOfThemAndAtLeastOne() {
    String large = "x".repeat(3 << 20);
    for (String name : List.of("one", "two", "three")) {
      store.receive(endpoint, List.of(rejected(QuarantineReason.BAD_ID, TYPE, name + large)));
    }
    long after = 0;
    for (int i = 0; i < 3; i++) {
      OperatorStore.ReplayPage page =
          store.replayQuarantined(mine(), BY, after, 200, this::unlessBad);
      assertThat(page.seen()).isOne();
      assertThat(page.replayed()).hasSize(1);
      after = page.last();
    }
    assertThat(store.replayQuarantined(mine(), BY, after, 200, this::unlessBad).seen()).isZero();
    assertThat(process()).hasSize(3);
  }

  @Test
  void whatIsOfAnUnknownTypeIsTakenInByWhoKnowsIt() {
    store.receive(
        endpoint,
        List.of(
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "good"),
            rejected(QuarantineReason.UNKNOWN_TYPE, "other", "another type"),
            rejected(QuarantineReason.BAD_ID, TYPE, "another reason"),
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "bad"),
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "fine")));
    store.receive(endpoint + "-other", List.of(rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "x")));
    OperatorStore.ReplayPage page =
        store.adoptQuarantined(endpoint, Set.of(TYPE, "absent"), BY, 0, 10, this::unlessBad);
    assertThat(page.seen()).isEqualTo(3);
    assertThat(page.replayed())
        .extracting(ValidatedDelivery.Event::messageId)
        .containsExactly(idOf("good"), idOf("fine"));
    assertThat(store.listQuarantineEntries(mine(), 0, 10))
        .extracting(QuarantineEntry::reason)
        .containsExactly(
            QuarantineReason.UNKNOWN_TYPE, QuarantineReason.BAD_ID, QuarantineReason.INVALID_JSON);
    assertThat(bodies()).containsExactly("another type", "another reason", "bad");
    assertThat(ids(process())).containsExactly(idOf("good"), idOf("fine"));
    assertThat(store.adoptQuarantined(endpoint, Set.of(TYPE), BY, 0, 10, this::unlessBad).seen())
        .isZero();
    assertThat(store.interventions(Intervention.Origin.QUARANTINE, mine(), 10)).hasSize(2);
  }

  @Test
  void whatIsTakenInIsBetweenThoseThatCameBeforeAndAfterIt() {
    store.receive(endpoint, List.of(event(0)));
    store.receive(
        endpoint,
        List.of(event(1), rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "good"), event(2)));
    store.receive(endpoint, List.of(event(3)));
    Instant before = Instant.now().minus(Duration.ofMinutes(10));
    store.adoptQuarantined(endpoint, Set.of(TYPE), BY, 0, 10, this::unlessBad);
    List<ClaimedMessage> messages = new ArrayList<>(process());
    messages.sort(Comparator.comparingLong(ClaimedMessage::sequence));
    assertThat(ids(messages)).containsExactly(id(0), id(1), idOf("good"), id(2), id(3));
    assertThat(messages.get(2).receivedAt())
        .isAfter(before)
        .isBeforeOrEqualTo(messages.get(4).receivedAt());
    assertThat(messages.get(2).dueAt()).as("from now on").isAfter(messages.get(4).dueAt());
  }

  @Test
  void aQuarantinedDeliveryThatWasStoredMeanwhileLeavesWithoutBeingHandledAgain() {
    store.receive(endpoint, List.of(rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "good")));
    store.receive(endpoint, List.of(event(idOf("good"), TYPE, "good")));
    process();
    assertThat(store.replayQuarantined(mine(), BY, 0, 10, this::unlessBad).replayed()).isEmpty();
    assertThat(bodies()).isEmpty();
    assertThat(process()).isEmpty();
    assertThat(store.interventions(Intervention.Origin.QUARANTINE, mine(), 10)).hasSize(1);
  }

  @Test
  void aQuarantinedDeliveryWhoseIdIsTakenByAnotherBodyStays() {
    store.receive(endpoint, List.of(rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "good")));
    store.receive(endpoint, List.of(event(idOf("good"), TYPE, "another")));
    assertThat(store.replayQuarantined(mine(), BY, 0, 10, this::unlessBad).replayed()).isEmpty();
    assertThat(bodies()).containsExactly("good");
    assertThat(process()).hasSize(1);
  }

  @Test
  void aCheckThatThrowsChangesNothing() {
    store.receive(
        endpoint,
        List.of(
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "one"),
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "two")));
    assertThatThrownBy(
            () ->
                store.replayQuarantined(
                    mine(),
                    BY,
                    0,
                    10,
                    message -> {
                      if (text(message).equals("two")) {
                        throw new IllegalStateException("broken check");
                      }
                      return unlessBad(message);
                    }))
        .hasStackTraceContaining("broken check");
    assertThat(bodies()).containsExactly("one", "two");
    assertThat(process()).isEmpty();
  }

  @Test
  void deliveriesOfSeveralEndpointsGoBackToTheirOwn() {
    String other = endpoint + "-other";
    String type = "type-" + UUID.randomUUID();
    store.receive(endpoint, List.of(rejected(QuarantineReason.BAD_ID, type, "one")));
    store.receive(other, List.of(rejected(QuarantineReason.BAD_ID, type, "two")));
    MessageFilter both = MessageFilter.all().types(Set.of(type));
    assertThat(store.replayQuarantined(both, BY, 0, 10, this::unlessBad).replayed()).hasSize(2);
    assertThat(ids(process())).containsExactly(idOf("one"));
    try (WorkTransaction transaction = another().begin(other)) {
      assertThat(ids(transaction.claim(TYPES, 10))).containsExactly(idOf("two"));
    }
  }

  @Test
  void aFilterChoosesQuarantinedDeliveries() {
    store.receive(
        endpoint,
        List.of(
            rejected(QuarantineReason.UNKNOWN_TYPE, "cancelled", "one"),
            rejected(QuarantineReason.BAD_ID, TYPE, "two")));
    assertThat(quarantined(mine().types(Set.of("cancelled")))).containsExactly("one");
    assertThat(quarantined(mine().text("bad-id"))).containsExactly("two");
    assertThat(quarantined(mine().text("why one"))).containsExactly("one");
    assertThat(quarantined(mine().olderThan(Duration.ofHours(1)))).isEmpty();
    assertThat(quarantined(mine().olderThan(Duration.ZERO))).containsExactly("one", "two");
    assertThat(quarantined(MessageFilter.all().endpoint("another"))).isEmpty();
  }

  private ValidatedDelivery unlessBad(QuarantinedMessage message) {
    String body = text(message);
    return body.equals("bad")
        ? rejected(QuarantineReason.INVALID_JSON, TYPE, body)
        : event(idOf(body), TYPE, body);
  }

  private UUID idOf(String body) {
    return io.inbox4j.event.MessageIds.of(endpoint, body);
  }

  private List<String> bodies() {
    return quarantined(mine());
  }

  private List<String> quarantined(MessageFilter filter) {
    return store.listQuarantined(filter, 0, 100).stream().map(ReplayingContract::text).toList();
  }

  private static String text(QuarantinedMessage message) {
    return new String(message.delivery().body(), StandardCharsets.UTF_8);
  }
}
