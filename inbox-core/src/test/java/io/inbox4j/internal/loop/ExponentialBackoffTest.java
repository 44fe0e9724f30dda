package io.inbox4j.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExponentialBackoffTest {

  private final ExponentialBackoff backoff =
      new ExponentialBackoff(Duration.ofMillis(100), Duration.ofMillis(500));

  @Test
  void eachDelayIsTwiceAsLongAsTheOneBeforeUpToTheMaximum() {
    assertThat(Stream.generate(backoff::next).limit(5).map(Duration::toMillis))
        .containsExactly(100L, 200L, 400L, 500L, 500L);
  }

  @Test
  void itStartsOverAfterASuccess() {
    backoff.next();
    backoff.next();
    backoff.reset();
    assertThat(backoff.next()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void jitterSpreadsADelayByHalf() {
    Duration about = Duration.ofSeconds(10);
    assertThat(Stream.generate(() -> ExponentialBackoff.jittered(about)).limit(1_000))
        .allMatch(it -> it.compareTo(Duration.ofSeconds(5)) >= 0)
        .allMatch(it -> it.compareTo(Duration.ofSeconds(15)) <= 0)
        .anyMatch(it -> it.compareTo(Duration.ofSeconds(7)) < 0)
        .anyMatch(it -> it.compareTo(Duration.ofSeconds(13)) > 0);
  }
}
