package io.inbox4j.endtoend;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.awaitility.core.ThrowingRunnable;

/** How long the tests wait for what is bound to happen, on a machine that others use too. */
final class Patience {

  static final Duration LIMIT = Duration.ofSeconds(60);

  private Patience() {}

  /** Waits until the assertion holds. */
  static void eventually(ThrowingRunnable assertion) {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(50))
        .atMost(LIMIT)
        .ignoreExceptions()
        .untilAsserted(assertion);
  }
}
