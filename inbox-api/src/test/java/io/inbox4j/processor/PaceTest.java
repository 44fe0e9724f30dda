package io.inbox4j.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {

  private static final Duration FAST = Duration.ofMillis(1);
  private static final Duration SLOW = Pace.TARGET.plusMillis(1);

  @Test
  void theBatchGrowsToItsLimitWhileFullBatchesAreFast() {
    Pace pace = new Pace(512);
    assertThat(pace.batch()).isEqualTo(8);
    for (int expected : new int[] {16, 32, 64, 128, 256, 512, 512}) {
      pace.took(pace.batch(), FAST, false);
      assertThat(pace.batch()).isEqualTo(expected);
    }
  }

  @Test
  void theBatchShrinksToOneWhileHandlersAreSlow() {
    Pace pace = new Pace(512);
    for (int expected : new int[] {4, 2, 1, 1}) {
      pace.took(pace.batch(), SLOW, false);
      assertThat(pace.batch()).isEqualTo(expected);
    }
  }

  @Test
  void aBatchThatTookFarTooLongShrinksToWhatFitsAtOnce() {
    Pace pace = new Pace(512);
    for (int i = 0; i < 6; i++) {
      pace.took(pace.batch(), FAST, false);
    }
    pace.took(512, Pace.TARGET.multipliedBy(64), false);
    assertThat(pace.batch()).isEqualTo(8);
  }

  @Test
  void aBatchThatWasNotFullSaysNothingAboutALargerOne() {
    Pace pace = new Pace(512);
    pace.took(7, FAST, false);
    assertThat(pace.batch()).isEqualTo(8);
  }

  @Test
  void aBatchOfMiddlingSpeedStaysAsItIs() {
    Pace pace = new Pace(512);
    pace.took(8, Pace.TARGET, false);
    pace.took(8, Pace.TARGET.dividedBy(2), false);
    assertThat(pace.batch()).isEqualTo(8);
  }

  @Test
  void nothingClaimedSaysNothing() {
    Pace pace = new Pace(512);
    pace.took(0, SLOW, true);
    assertThat(pace.batch()).isEqualTo(8);
    assertThat(pace.segment()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aSmallLimitIsTheFirstBatchToo() {
    assertThat(new Pace(5).batch()).isEqualTo(5);
  }

  @Test
  void segmentsAreShortAfterAFailureAndGrowBackWhenBatchesWereClean() {
    Pace pace = new Pace(64);
    assertThat(pace.segment()).isEqualTo(Integer.MAX_VALUE);
    pace.took(32, FAST, true);
    assertThat(pace.segment()).isEqualTo(16);
    clean(pace, 7);
    assertThat(pace.segment()).isEqualTo(16);
    clean(pace, 1);
    assertThat(pace.segment()).isEqualTo(32);
    clean(pace, 8);
    assertThat(pace.segment()).isEqualTo(64);
    clean(pace, 8);
    assertThat(pace.segment()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void anotherFailureStartsTheCountAnew() {
    Pace pace = new Pace(64);
    pace.took(32, FAST, true);
    clean(pace, 7);
    pace.took(32, FAST, true);
    clean(pace, 7);
    assertThat(pace.segment()).isEqualTo(16);
  }

  private static void clean(Pace pace, int batches) {
    for (int i = 0; i < batches; i++) {
      pace.took(10, FAST, false);
    }
  }
}
