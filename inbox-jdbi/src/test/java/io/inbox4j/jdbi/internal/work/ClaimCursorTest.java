package io.inbox4j.jdbi.internal.work;

import static io.inbox4j.jdbi.internal.work.ClaimCursor.START;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClaimCursorTest {

  private static final Instant DUE = Instant.parse("2026-01-01T00:00:00Z");

  private long now;
  private final ClaimCursor cursor = new ClaimCursor(() -> now);

  @Test
  void beginsAtTheStart() {
    assertThat(cursor.from()).isEqualTo(START);
  }

  @Test
  void goesOnWhereTheLastClaimEnded() {
    cursor.claimed(DUE, true);
    assertThat(cursor.from()).isEqualTo(DUE);
  }

  @Test
  void looksBackALittleWhenThereWasNoMore() {
    cursor.claimed(DUE, false);
    assertThat(cursor.from()).isEqualTo(DUE.minus(ClaimCursor.OVERLAP));
  }

  @Test
  void looksFromTheStartAboutOnceASecond() {
    cursor.claimed(DUE, true);
    after(Duration.ofMillis(1_001));
    assertThat(cursor.from()).isEqualTo(START);
    assertThat(cursor.from()).isEqualTo(DUE);
  }

  @Test
  void onlyOneLooksFromTheStartAtATime() {
    cursor.claimed(DUE, true);
    after(Duration.ofMillis(1_001));
    assertThat(cursor.from()).isEqualTo(START);
    after(Duration.ofMinutes(1));
    assertThat(cursor.from()).isEqualTo(DUE);
    cursor.looked(START, Duration.ofMinutes(1));
    after(Duration.ofMinutes(1));
    assertThat(cursor.from()).isEqualTo(START);
  }

  @Test
  void looksFromTheStartLessOftenWhileThatTakesLong() {
    cursor.claimed(DUE, true);
    cursor.looked(START, Duration.ofMillis(300));
    after(Duration.ofMillis(14_999));
    assertThat(cursor.from()).isEqualTo(DUE);
    after(Duration.ofMillis(2));
    assertThat(cursor.from()).isEqualTo(START);
  }

  @Test
  void restsNoLongerThanHalfAMinuteHoweverLongALookTook() {
    cursor.claimed(DUE, true);
    cursor.looked(START, Duration.ofMinutes(1));
    after(ClaimCursor.MAX_RESCAN_INTERVAL.plusMillis(1));
    assertThat(cursor.from()).isEqualTo(START);
  }

  @Test
  void aLookFromElsewhereSaysNothingAboutTheStart() {
    cursor.claimed(DUE, true);
    cursor.looked(DUE, Duration.ofMinutes(1));
    after(Duration.ofMillis(1_001));
    assertThat(cursor.from()).isEqualTo(START);
  }

  private void after(Duration time) {
    now += time.toNanos();
  }
}
