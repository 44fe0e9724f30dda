package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages that somebody gives up on for good. */
abstract class DiscardingContract extends ContractPart {

  @Test
  void aDiscardedMessageIsNotHandledAndItsDuplicatesStayOut() {
    receive(2);
    kill("broken");
    assertThat(store.discardDead(mine(), BY, 0, 10))
        .extracting(DeadMessage::messageId)
        .isEqualTo(ids(0, 2));
    assertThat(dead()).isEmpty();
    assertThat(store.receive(endpoint, List.of(event(0), event(1))))
        .containsOnly(StoreResult.DUPLICATE);
    assertThat(process()).isEmpty();
    assertThat(store.replayDead(mine(), BY, 0, 10)).isEmpty();
  }

  @Test
  void deadMessagesAreDiscardedInPagesInArrivalOrder() {
    receive(5);
    kill("broken");
    List<DeadMessage> first = store.discardDead(mine(), BY, 0, 2);
    assertThat(dead()).extracting(DeadMessage::messageId).isEqualTo(ids(2, 3));
    List<DeadMessage> second = store.discardDead(mine(), BY, first.get(1).sequence(), 2);
    List<DeadMessage> third = store.discardDead(mine(), BY, second.get(1).sequence(), 2);
    assertThat(first).extracting(DeadMessage::messageId).isEqualTo(ids(0, 2));
    assertThat(second).extracting(DeadMessage::messageId).isEqualTo(ids(2, 2));
    assertThat(third).extracting(DeadMessage::messageId).isEqualTo(ids(4, 1));
    assertThat(store.discardDead(mine(), BY, 0, 10)).as("a second time").isEmpty();
  }

  @Test
  void aFilterChoosesWhatIsDiscarded() {
    receive(1);
    kill("the disk is full");
    store.receive(endpoint, List.of(event(1)));
    kill("no stock");
    assertThat(store.discardDead(mine().types(Set.of("cancelled")), BY, 0, 10)).isEmpty();
    assertThat(store.discardDead(mine().olderThan(Duration.ofHours(1)), BY, 0, 10)).isEmpty();
    assertThat(store.discardDead(mine().text("nothing"), BY, 0, 10)).isEmpty();
    assertThat(store.discardDead(MessageFilter.all().endpoint("another"), BY, 0, 10)).isEmpty();
    assertThat(store.discardDead(mine().text("disk").types(TYPES), BY, 0, 10)).hasSize(1);
    assertThat(dead()).extracting(DeadMessage::error).containsExactly("no stock");
    assertThat(store.discardDead(mine().olderThan(Duration.ZERO), BY, 0, 10)).hasSize(1);
  }

  @Test
  void discardsAndReplaysAtTheSameTimeTakeEachMessageOnceAndRecordItOnce() throws Exception {
    receive(100);
    kill("broken");
    List<Long> taken =
        together(
            another -> sequences(another.discardDead(mine(), BY, 0, 9)),
            another -> sequences(another.discardDead(mine(), BY, 0, 9)),
            another -> sequences(another.replayDead(mine(), BY, 0, 9)));
    assertThat(taken).hasSize(100).doesNotHaveDuplicates();
    List<Intervention> recorded = store.interventions(Intervention.Origin.DEAD, mine(), 1_000);
    assertThat(recorded)
        .extracting(Intervention::sequence)
        .containsExactlyInAnyOrderElementsOf(taken);
    assertThat(recorded)
        .filteredOn(it -> it.action() == Intervention.Action.REPLAY)
        .hasSameSizeAs(process());
  }

  @Test
  void quarantinedDeliveriesAreDiscardedByAFilterInPages() {
    store.receive(
        endpoint,
        List.of(
            rejected(QuarantineReason.BAD_ID, TYPE, "one"),
            rejected(QuarantineReason.BAD_ID, TYPE, "two"),
            rejected(QuarantineReason.UNKNOWN_TYPE, "cancelled", "three"),
            rejected(QuarantineReason.BAD_ID, TYPE, "four")));
    List<Long> all =
        store.listQuarantined(mine(), 0, 10).stream().map(it -> it.sequence()).toList();
    assertThat(store.discardQuarantined(mine().text("nothing"), BY, 0, 10)).isEmpty();
    assertThat(store.discardQuarantined(mine().types(Set.of("x")), BY, 0, 10)).isEmpty();
    MessageFilter old = mine().olderThan(Duration.ofHours(1));
    assertThat(store.discardQuarantined(old, BY, 0, 10)).isEmpty();
    MessageFilter badIds = mine().text("bad-id");
    assertThat(store.discardQuarantined(badIds, BY, 0, 2)).isEqualTo(all.subList(0, 2));
    assertThat(store.discardQuarantined(badIds, BY, all.get(1), 2)).containsExactly(all.get(3));
    assertThat(store.listQuarantined(mine(), 0, 10))
        .extracting(QuarantinedMessage::sequence)
        .containsExactly(all.get(2));
  }

  @Test
  void quarantinedDeliveriesAreDiscardedAtTheSameTimeEachOnce() throws Exception {
    List<ValidatedDelivery> batch = new ArrayList<>();
    IntStream.range(0, 60)
        .forEach(n -> batch.add(rejected(QuarantineReason.BAD_ID, TYPE, "body " + n)));
    store.receive(endpoint, batch);
    List<Long> taken =
        together(
            another -> another.discardQuarantined(mine(), BY, 0, 7),
            another -> another.discardQuarantined(mine(), BY, 0, 7));
    assertThat(taken).hasSize(60).doesNotHaveDuplicates();
    assertThat(store.interventions(Intervention.Origin.QUARANTINE, mine(), 100))
        .extracting(Intervention::sequence)
        .containsExactlyInAnyOrderElementsOf(taken);
    assertThat(store.listQuarantined(mine(), 0, 10)).isEmpty();
  }

  private static List<Long> sequences(List<DeadMessage> messages) {
    return messages.stream().map(DeadMessage::sequence).toList();
  }

  /** Takes pages in a thread and a store each until there are none, all beginning at once. */
  @SafeVarargs
  private List<Long> together(Function<InboxStore, List<Long>>... takers) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(takers.length);
    CyclicBarrier barrier = new CyclicBarrier(takers.length);
    List<Future<List<Long>>> results = new ArrayList<>();
    for (Function<InboxStore, List<Long>> taker : takers) {
      InboxStore another = another();
      Callable<List<Long>> takeAll =
          () -> {
            List<Long> taken = new ArrayList<>();
            barrier.await();
            List<Long> page;
            do {
              page = taker.apply(another);
              taken.addAll(page);
            } while (!page.isEmpty());
            return taken;
          };
      results.add(pool.submit(takeAll));
    }
    List<Long> all = new ArrayList<>();
    for (Future<List<Long>> result : results) {
      all.addAll(result.get());
    }
    pool.shutdown();
    return all;
  }
}
