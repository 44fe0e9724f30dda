package io.inbox4j.health;

import io.inbox4j.operations.Health.Status;
import java.time.Duration;

/** What was found of one part. */
record Finding(Status status, String detail) {

  static Finding up(String detail) {
    return new Finding(Status.UP, detail);
  }

  static Finding degraded(String detail) {
    return new Finding(Status.DEGRADED, detail);
  }

  static Finding down(String detail) {
    return new Finding(Status.DOWN, detail);
  }

  /** So many of so many: down if there are none, degraded if some are missing. */
  static Finding count(int there, int wanted, String detail) {
    Status status = there >= wanted ? Status.UP : there > 0 ? Status.DEGRADED : Status.DOWN;
    return new Finding(status, detail);
  }

  /** A duration as people read it: {@code 42 s}. */
  static String seconds(Duration time) {
    return time.toSeconds() + " s";
  }
}
