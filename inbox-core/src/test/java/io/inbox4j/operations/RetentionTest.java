package io.inbox4j.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class RetentionTest {

  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void theDefaultIsAWeekForMessagesAndIdentities() {
    Retention retention = Retention.ofDefaults();
    assertThat(retention.keep()).isEqualTo(Duration.ofDays(7));
    assertThat(retention.dedupWindow()).isEqualTo(Duration.ofDays(7));
    assertThat(retention.archive()).isNull();
    assertThat(retention.history()).isNull();
    assertThat(retention.isForever()).isFalse();
    assertThat(Retention.forever().isForever()).isTrue();
  }

  @Test
  void aTimeThatMakesNoSenseIsRefused() {
    assertRefused(() -> Retention.days(0), "the retention is PT0S", "1 hour to 36,500 days");
    assertRefused(() -> Retention.days(-1), "the retention is PT-24H");
    assertRefused(() -> Retention.days(36_501), "PT876024H", "36,500 days");
    assertRefused(() -> Retention.days(7).archive(Duration.ZERO), "archive is PT0S", "1 hour");
  }

  @Test
  void anIdentityCannotGoBeforeItsMessage() {
    assertRefused(
        () -> Retention.days(7).dedupWindow(HOUR),
        "the dedup window is PT1H",
        "at least the PT168H");
  }

  @Test
  void theHistoryCannotGoBeforeTheMessage() {
    assertRefused(
        () -> Retention.days(7).history(HOUR), "the history is PT1H", "at least the PT168H");
  }

  @Test
  void whatIsKeptForEverHasNoEnd() {
    assertRefused(() -> Retention.forever().dedupWindow(HOUR), "forever", "Retention.days(");
    assertRefused(() -> Retention.forever().archive(HOUR), "forever", "Retention.days(");
  }

  private static void assertRefused(ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }
}
