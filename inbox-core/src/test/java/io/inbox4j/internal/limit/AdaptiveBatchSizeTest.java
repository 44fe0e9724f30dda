package io.inbox4j.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class AdaptiveBatchSizeTest {

  private static final Duration FAST = Duration.ofMillis(1);
  private static final Duration SLOW = AdaptiveBatchSize.TARGET.plusMillis(1);

  @Test
  void theBatchGrowsToItsLimitWhileFullBatchesAreFast() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(512);
    assertThat(batchSizes.batch()).isEqualTo(8);
    for (int expected : new int[] {16, 32, 64, 128, 256, 512, 512}) {
      batchSizes.took(batchSizes.batch(), FAST, Duration.ZERO, false);
      assertThat(batchSizes.batch()).isEqualTo(expected);
    }
  }

  @Test
  void theBatchShrinksToOneWhileHandlersAreSlow() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(512);
    for (int expected : new int[] {4, 2, 1, 1}) {
      batchSizes.took(batchSizes.batch(), SLOW, Duration.ZERO, false);
      assertThat(batchSizes.batch()).isEqualTo(expected);
    }
  }

  @Test
  void aBatchThatTookFarTooLongShrinksToWhatFitsAtOnce() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(512);
    for (int i = 0; i < 6; i++) {
      batchSizes.took(batchSizes.batch(), FAST, Duration.ZERO, false);
    }
    batchSizes.took(512, AdaptiveBatchSize.TARGET.multipliedBy(64), Duration.ZERO, false);
    assertThat(batchSizes.batch()).isEqualTo(8);
  }

  @Test
  void aBatchThatWasNotFullSaysNothingAboutALargerOne() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(512);
    batchSizes.took(7, FAST, Duration.ZERO, false);
    assertThat(batchSizes.batch()).isEqualTo(8);
  }

  @Test
  void aBatchOfMiddlingSpeedStaysAsItIs() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(512);
    batchSizes.took(8, AdaptiveBatchSize.TARGET, Duration.ZERO, false);
    batchSizes.took(8, AdaptiveBatchSize.TARGET.dividedBy(2), Duration.ZERO, false);
    assertThat(batchSizes.batch()).isEqualTo(8);
  }

  @Test
  void nothingClaimedSaysNothing() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(512);
    batchSizes.took(0, SLOW, Duration.ZERO, true);
    assertThat(batchSizes.batch()).isEqualTo(8);
    assertThat(batchSizes.segment()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aSmallLimitIsTheFirstBatchToo() {
    assertThat(new AdaptiveBatchSize(5).batch()).isEqualTo(5);
  }

  @Test
  void segmentsAreShortAfterAFailureAndGrowBackWhenBatchesWereClean() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(64);
    assertThat(batchSizes.segment()).isEqualTo(Integer.MAX_VALUE);
    batchSizes.took(32, FAST, Duration.ZERO, true);
    assertThat(batchSizes.segment()).isEqualTo(16);
    clean(batchSizes, 7);
    assertThat(batchSizes.segment()).isEqualTo(16);
    clean(batchSizes, 1);
    assertThat(batchSizes.segment()).isEqualTo(32);
    clean(batchSizes, 8);
    assertThat(batchSizes.segment()).isEqualTo(64);
    clean(batchSizes, 8);
    assertThat(batchSizes.segment()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void anotherFailureStartsTheCountAnew() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(64);
    batchSizes.took(32, FAST, Duration.ZERO, true);
    clean(batchSizes, 7);
    batchSizes.took(32, FAST, Duration.ZERO, true);
    clean(batchSizes, 7);
    assertThat(batchSizes.segment()).isEqualTo(16);
  }

  private static void clean(AdaptiveBatchSize batchSizes, int batches) {
    for (int i = 0; i < batches; i++) {
      batchSizes.took(10, FAST, Duration.ZERO, false);
    }
  }

  @Test
  void aSlowDatabaseShrinksTheBatchFarLessThanSlowHandlers() {
    AdaptiveBatchSize batchSizes = new AdaptiveBatchSize(512);
    for (int i = 0; i < 20; i++) {
      batchSizes.took(batchSizes.batch(), FAST, Duration.ZERO, false);
    }
    int before = batchSizes.batch();
    Duration slow = AdaptiveBatchSize.TARGET.multipliedBy(8);
    batchSizes.took(before, slow, slow, false);
    assertThat(batchSizes.batch()).isEqualTo(before);
    batchSizes.took(before, slow, Duration.ZERO, false);
    assertThat(batchSizes.batch()).isEqualTo(before / 8);
  }
}
