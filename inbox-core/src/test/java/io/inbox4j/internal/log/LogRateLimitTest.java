package io.inbox4j.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogRateLimitTest {

  private final AtomicLong now = new AtomicLong();
  private final LogRateLimit seldom = new LogRateLimit(Duration.ofSeconds(10), now::get);

  @Test
  void theFirstIsLetThrough() {
    assertThat(seldom.next()).hasValue(0);
  }

  @Test
  void theNextIsLetThroughAfterAWhileAndSaysHowManyWereHeldBack() {
    seldom.next();
    now.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(seldom.next()).isEmpty();
    assertThat(seldom.next()).isEmpty();
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(seldom.next()).hasValue(2);
    assertThat(seldom.next()).isEmpty();
    now.addAndGet(Duration.ofSeconds(10).toNanos());
    assertThat(seldom.next()).hasValue(1);
  }
}
