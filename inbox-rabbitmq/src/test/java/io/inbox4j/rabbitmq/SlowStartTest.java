package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlowStartTest {

  @Test
  void itAllowsOneThenMoreAndMoreUpToWhatTheEndpointSays() {
    SlowStart start = new SlowStart(100);
    List<Integer> allowed = new ArrayList<>(List.of(start.prefetch()));
    while (!start.isOver()) {
      assertThat(start.gotThrough()).isTrue();
      allowed.add(start.prefetch());
    }
    assertThat(allowed).containsExactly(1, 4, 16, 64, 100);
  }

  @Test
  void whereTheOrderMattersItAllowsAllAtOnceUntilSomethingWasDeliveredTooOften() {
    SlowStart start = SlowStart.inOrder(100, 20);
    assertThat(start.isOver()).isTrue();
    assertThat(start.isSuspicious(9)).isFalse();
    assertThat(start.isSuspicious(10)).isTrue();
    start.again();
    assertThat(start.prefetch()).isOne();
    assertThat(start.isSuspicious(19)).isFalse();
    assertThat(SlowStart.inOrder(100, 1).isSuspicious(1)).isFalse();
    assertThat(new SlowStart(100).isSuspicious(19)).isFalse();
  }

  @Test
  void anEndpointThatAllowsOneIsThereAtOnce() {
    assertThat(new SlowStart(1).isOver()).isTrue();
  }

  @Test
  void afterAFailureOfTheClientAsManyGetThroughOneByOneAsWereInFlight() {
    SlowStart start = new SlowStart(2_000);
    start.gotThrough();
    start.gotThrough();
    assertThat(start.prefetch()).isEqualTo(16);
    start.again();
    for (int i = 0; i < 15; i++) {
      assertThat(start.prefetch()).isOne();
      assertThat(start.gotThrough()).isFalse();
    }
    start.again(); // the culprit itself, alone
    assertThat(start.prefetch()).isOne();
    assertThat(start.gotThrough()).isTrue();
    assertThat(start.prefetch()).isEqualTo(4);
  }

  /**
   * A queue of messages, and processes that die one after the other, each after it has stored a
   * number of them that chance gives it: none of them, but for the first of the queue, is in the
   * hand of a dying process nearly as often as the broker allows.
   */
  @Test
  void processesThatDieAgainAndAgainDoNotUseUpTheDeliveriesOfMessages() {
    Random random = new Random(42);
    List<Integer> deliveries = new ArrayList<>(Collections.nCopies(20_000, 0));
    int head = 0;
    for (int life = 0; life < 2_000; life++) {
      int toStore = 1 + random.nextInt(1 << random.nextInt(8));
      int stored = 0;
      SlowStart start = new SlowStart(2_000);
      while (stored + start.prefetch() <= toStore && !start.isOver()) {
        stored += start.prefetch();
        start.gotThrough();
      }
      head += stored;
      for (int i = head; i < Math.min(head + start.prefetch(), deliveries.size()); i++) {
        deliveries.set(i, deliveries.get(i) + 1);
      }
    }
    assertThat(Collections.max(deliveries.subList(0, Math.min(head, deliveries.size()))))
        .isLessThan(20);
  }
}
