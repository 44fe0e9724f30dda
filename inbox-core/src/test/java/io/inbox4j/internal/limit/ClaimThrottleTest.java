package io.inbox4j.internal.limit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.internal.limit.ClaimThrottle.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ClaimThrottleTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int MANY = 100_000; // so many that their moments outlast a test

  private final WorkSignal signal = new WorkSignal();
  private final ClaimThrottle claimThrottle = new ClaimThrottle(signal);

  @Test
  void oneWorkerIsEnoughForAMoment() {
    long begin = System.nanoTime();
    take().claimed(MANY, false);
    for (int others = 1; others < ClaimThrottle.FEW; ) {
      Turn turn = claimThrottle.take();
      if (turn != null) {
        turn.claimed(MANY, false);
        others++;
      }
    }
    assertThat(System.nanoTime() - begin)
        .isGreaterThanOrEqualTo((ClaimThrottle.FEW - 1) * ClaimThrottle.MOMENT.toNanos());
  }

  @Test
  void whoLooksIsNotJoinedBeforeItHasFoundSomething() throws Exception {
    long begin = System.nanoTime();
    take();
    while (claimThrottle.take() == null) {
      signal.await(LONG); // comes to an end when the look takes too long
    }
    assertThat(System.nanoTime() - begin)
        .isGreaterThanOrEqualTo(10 * ClaimThrottle.MOMENT.toNanos());
  }

  @Test
  void aFewWorkWhenThereIsMoreThanABatch() {
    for (int i = 0; i < ClaimThrottle.FEW; i++) {
      take().claimed(MANY, true);
    }
    assertThat(claimThrottle.take()).isNull();
  }

  @Test
  void whoFindsMoreThanABatchCallsAnother() throws Exception {
    take().claimed(MANY, true);
    signal.await(LONG);
    assertThat(claimThrottle.take()).isNotNull();
  }

  @Test
  void whoTakesLongerThanAMomentIsJoinedByAnother() throws Exception {
    take().claimed(MANY, false);
    while (claimThrottle.take() == null) {
      signal.await(LONG); // raised when the moment is over
    }
  }

  @Test
  void slowHandlersDoNotCountAmongTheFew() throws Exception {
    int workers = 10 * ClaimThrottle.FEW;
    for (int begun = 0; begun < workers; ) {
      Turn turn = claimThrottle.take();
      if (turn == null) {
        signal.await(LONG);
      } else {
        turn.claimed(1, true);
        begun++;
      }
    }
  }

  @Test
  void whoFindsNothingCallsWhoWasRefusedMeanwhile() throws Exception {
    Turn last = null;
    for (int i = 0; i < ClaimThrottle.FEW; i++) {
      last = take();
      last.claimed(MANY, true);
    }
    signal.await(LONG);
    assertThat(claimThrottle.take()).isNull();
    requireNonNull(last).close();
    signal.await(LONG);
    assertThat(claimThrottle.take()).isNotNull();
  }

  @Test
  void whoGoesOnItselfCallsNobody() throws Exception {
    List<Turn> all = new ArrayList<>();
    for (int i = 0; i < ClaimThrottle.FEW; i++) {
      Turn turn = take();
      turn.claimed(MANY, true);
      all.add(turn);
    }
    signal.await(LONG);
    assertThat(claimThrottle.take()).isNull();
    all.get(0).again();
    all.get(0).close();
    long begin = System.nanoTime();
    signal.await(Duration.ofMillis(20));
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
  }

  private Turn take() {
    return requireNonNull(claimThrottle.take(), "no turn");
  }
}
