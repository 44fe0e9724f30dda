package io.inbox4j.worker.internal.doctor;

import io.inbox4j.InboxBuilder;
import io.inbox4j.store.Vitals;
import io.inbox4j.worker.internal.options.DurationText;
import io.inbox4j.worker.internal.tables.ExaminedDatabase;
import io.inbox4j.worker.internal.tables.Statuses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the store says about itself, as {@code Inbox.health()} asks it. */
final class Vital {

  private Vital() {}

  static List<Finding> of(ExaminedDatabase database) {
    List<Finding> findings = new ArrayList<>();
    Vitals vitals = database.vitals(database.look(Statuses::endpoints));
    findings.add(transactions(vitals.transactions()));
    vitals.endpoints().forEach((endpoint, waiting) -> add(findings, endpoint, waiting));
    return findings;
  }

  private static Finding transactions(Vitals.Transactions it) {
    Duration oldest = it.oldest() == null ? Duration.ZERO : it.oldest();
    String age = "the oldest is open for " + DurationText.of(oldest);
    if (oldest.compareTo(InboxBuilder.DEFAULT_MAX_TRANSACTION_AGE) > 0) {
      return Finding.wrong(
          "transactions",
          "%s: %s".formatted(age, it.holder()),
          "end it, with pg_terminate_backend if need be: while it lasts, claims get slower");
    }
    String hidden = it.hidden();
    return hidden == null
        ? Finding.ok("transactions", age)
        : Finding.warning("transactions", age + ", as far as can be seen", hidden);
  }

  private static void add(List<Finding> findings, String endpoint, Vitals.Waiting it) {
    if (it.stuck() != null && it.stuck().timesInHand() > 1) {
      findings.add(
          Finding.wrong(
              "stuck",
              "%s: message %s was in hand %d times without an outcome"
                  .formatted(endpoint, it.stuck().messageId(), it.stuck().timesInHand()),
              "find out what kills the process that handles it; inbox show has the message"));
    }
    if (it.holdingKey() != null) {
      findings.add(
          Finding.wrong(
              "stuck",
              "%s: the dead message %s holds its ordering key".formatted(endpoint, it.holdingKey()),
              "inbox replay or inbox discard it"));
    }
    if (it.blocked() != null) {
      findings.add(
          Finding.wrong(
              "stuck",
              "%s: %s".formatted(endpoint, it.blocked()),
              "inbox expedite %1$s, or inbox discard %1$s --status pending"
                  .formatted(it.blocked().messageId())));
    }
    if (it.pause() != null) {
      findings.add(
          Finding.warning(
              "pause",
              "%s: by %s since %s: %s"
                  .formatted(endpoint, it.pause().by(), it.pause().since(), it.pause().reason()),
              "inbox resume " + endpoint));
    }
  }
}
