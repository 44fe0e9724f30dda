package io.inbox4j.health;

import static io.inbox4j.health.Finding.seconds;

import io.inbox4j.operations.Pause;
import io.inbox4j.store.Vitals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the vitals of a store mean. */
final class StoreFindings {

  private StoreFindings() {}

  static Finding transactions(Vitals.Transactions transactions, Duration allowed) {
    String hidden = transactions.hidden() == null ? "" : "; " + transactions.hidden();
    Duration oldest = transactions.oldest();
    if (oldest == null) {
      return Finding.up("none is open" + hidden);
    }
    return oldest.compareTo(allowed) > 0
        ? Finding.degraded(
            "the oldest is open for %s, allowed are %s: %s%s"
                .formatted(seconds(oldest), seconds(allowed), transactions.holder(), hidden))
        : Finding.up("the oldest is open for %s%s".formatted(seconds(oldest), hidden));
  }

  static Finding lag(Vitals.@Nullable Waiting waiting, Duration allowed) {
    Duration oldest = waiting == null ? null : waiting.oldestDue();
    if (waiting == null || oldest == null) {
      return Finding.up("nothing is due");
    }
    String detail =
        "the oldest message has been due for %s, allowed are %s%s"
            .formatted(
                seconds(oldest),
                seconds(allowed),
                waiting.leaseRanOut()
                    ? "; its lease has run out, and nobody has taken it since"
                    : "");
    return oldest.compareTo(allowed) > 0 ? Finding.degraded(detail) : Finding.up(detail);
  }

  static Finding stuck(Vitals.@Nullable Waiting waiting) {
    List<String> all = new ArrayList<>();
    if (waiting != null && waiting.stuck() != null) {
      Vitals.Stuck stuck = waiting.stuck();
      all.add(
          "message %s (%s) was in hand %d times without an outcome"
              .formatted(stuck.messageId(), stuck.type(), stuck.timesInHand()));
    }
    if (waiting != null && waiting.holdingKey() != null) {
      all.add(
          "the dead message %s holds its ordering key until it is replayed or discarded"
              .formatted(waiting.holdingKey()));
    }
    if (waiting != null && waiting.blocked() != null) {
      all.add(waiting.blocked() + ", unless it is expedited or discarded");
    }
    return all.isEmpty() ? Finding.up("none") : Finding.degraded(String.join("; ", all));
  }

  static Finding pause(Vitals.@Nullable Waiting waiting) {
    Pause pause = waiting == null ? null : waiting.pause();
    return pause == null
        ? Finding.up("is not paused")
        : Finding.degraded(
            "paused by %s at %s: %s".formatted(pause.by(), pause.since(), pause.reason()));
  }
}
