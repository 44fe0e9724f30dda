package io.inbox4j.internal.health;

import io.inbox4j.listener.Health.Status;
import java.time.Duration;

/** The result of checking one component. */
record HealthFinding(Status status, String detail) {

  static HealthFinding up(String detail) {
    return new HealthFinding(Status.UP, detail);
  }

  static HealthFinding degraded(String detail) {
    return new HealthFinding(Status.DEGRADED, detail);
  }

  static HealthFinding down(String detail) {
    return new HealthFinding(Status.DOWN, detail);
  }

  /**
   * The finding for a number of expected items: down if there are none, degraded if some are
   * missing.
   */
  static HealthFinding count(int there, int wanted, String detail) {
    Status status = there >= wanted ? Status.UP : there > 0 ? Status.DEGRADED : Status.DOWN;
    return new HealthFinding(status, detail);
  }

  /** A duration in human-readable form: {@code 42 s}. */
  static String seconds(Duration time) {
    return time.toSeconds() + " s";
  }
}
