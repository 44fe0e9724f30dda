package io.inbox4j.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.Health.Part;
import io.inbox4j.listener.Health.Status;
import java.time.Duration;
import java.util.Optional;

/** Waits for a part of an inbox to change, and for no longer than a person would. */
record HealthWatch(Inbox inbox, String part, Optional<String> endpoint) {

  private static final Duration SECONDS = Duration.ofSeconds(15);

  static HealthWatch of(Inbox inbox, String part) {
    return new HealthWatch(inbox, part, Optional.empty());
  }

  static HealthWatch of(Inbox inbox, String part, String endpoint) {
    return new HealthWatch(inbox, part, Optional.of(endpoint));
  }

  /** Waits until the part is as given, and returns it. */
  Part becomes(Status status) {
    return becomes(status, "");
  }

  /** Waits until the part is as given and says so, and returns it. */
  Part becomes(Status status, String detail) {
    await(part)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(50))
        .atMost(SECONDS)
        .untilAsserted(
            () -> {
              Part found = now();
              assertThat(found.status()).as("%s", found).isEqualTo(status);
              assertThat(found.detail()).contains(detail);
            });
    return now();
  }

  Part now() {
    Health health = inbox.health();
    return endpoint
        .map(queue -> health.part(part, queue))
        .orElseGet(() -> health.part(part))
        .orElseThrow(() -> new AssertionError("no part " + part + " in " + health));
  }
}
