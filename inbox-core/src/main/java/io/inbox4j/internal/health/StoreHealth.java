package io.inbox4j.internal.health;

import static io.inbox4j.internal.health.HealthFinding.seconds;

import io.inbox4j.operations.Pause;
import io.inbox4j.store.StoreStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Judges the health of a store by its status. */
final class StoreHealth {

  private StoreHealth() {}

  static HealthFinding transactions(StoreStatus.Transactions transactions, Duration allowed) {
    String hidden = transactions.hidden() == null ? "" : "; " + transactions.hidden();
    Duration oldest = transactions.oldest();
    if (oldest == null) {
      return HealthFinding.up("none is open" + hidden);
    }
    return oldest.compareTo(allowed) > 0
        ? HealthFinding.degraded(
            "the oldest is open for %s, allowed are %s: %s%s"
                .formatted(seconds(oldest), seconds(allowed), transactions.holder(), hidden))
        : HealthFinding.up("the oldest is open for %s%s".formatted(seconds(oldest), hidden));
  }

  static HealthFinding lag(StoreStatus.@Nullable Waiting waiting, Duration allowed) {
    Duration oldest = waiting == null ? null : waiting.oldestDue();
    if (waiting == null || oldest == null) {
      return HealthFinding.up("nothing is due");
    }
    String detail =
        "the oldest message has been due for %s, allowed are %s%s"
            .formatted(
                seconds(oldest),
                seconds(allowed),
                waiting.leaseRanOut()
                    ? "; its lease has run out, and nobody has taken it since"
                    : "");
    return oldest.compareTo(allowed) > 0
        ? HealthFinding.degraded(detail)
        : HealthFinding.up(detail);
  }

  static HealthFinding stuck(StoreStatus.@Nullable Waiting waiting) {
    List<String> all = new ArrayList<>();
    if (waiting != null && waiting.stuck() != null) {
      StoreStatus.Stuck stuck = waiting.stuck();
      all.add(
          "message %s (%s) was in flight %d times without an outcome"
              .formatted(stuck.messageId(), stuck.type(), stuck.timesInFlight()));
    }
    if (waiting != null && waiting.holdingKey() != null) {
      all.add(
          "the dead message %s holds its ordering key until it is replayed or discarded"
              .formatted(waiting.holdingKey()));
    }
    if (waiting != null && waiting.blocked() != null) {
      all.add(waiting.blocked() + ", unless it is expedited or discarded");
    }
    return all.isEmpty()
        ? HealthFinding.up("none")
        : HealthFinding.degraded(String.join("; ", all));
  }

  static HealthFinding pause(StoreStatus.@Nullable Waiting waiting) {
    Pause pause = waiting == null ? null : waiting.pause();
    return pause == null
        ? HealthFinding.up("is not paused")
        : HealthFinding.degraded(
            "paused by %s at %s: %s".formatted(pause.by(), pause.since(), pause.reason()));
  }
}
