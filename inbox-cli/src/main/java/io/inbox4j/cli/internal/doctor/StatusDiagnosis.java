package io.inbox4j.cli.internal.doctor;

import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.tables.ExaminedDatabase;
import io.inbox4j.cli.internal.tables.StatusReport;
import io.inbox4j.store.StoreStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Findings from the store's status, which is the one behind {@code Inbox.health()}. */
final class StatusDiagnosis {

  private StatusDiagnosis() {}

  static List<Diagnosis> of(ExaminedDatabase database) {
    List<Diagnosis> findings = new ArrayList<>();
    StoreStatus status = database.status(database.look(StatusReport::endpoints));
    findings.add(transactions(status.transactions()));
    status.endpoints().forEach((endpoint, waiting) -> add(findings, endpoint, waiting));
    return findings;
  }

  private static Diagnosis transactions(StoreStatus.Transactions it) {
    Duration oldest = it.oldest() == null ? Duration.ZERO : it.oldest();
    String age = "the oldest is open for " + DurationText.of(oldest);
    if (oldest.compareTo(InboxBuilder.DEFAULT_MAX_TRANSACTION_AGE) > 0) {
      return Diagnosis.wrong(
          "transactions",
          "%s: %s".formatted(age, it.holder()),
          "end it, with pg_terminate_backend if need be: while it lasts, claims get slower");
    }
    String hidden = it.hidden();
    return hidden == null
        ? Diagnosis.ok("transactions", age)
        : Diagnosis.warning("transactions", age + ", as far as can be seen", hidden);
  }

  private static void add(List<Diagnosis> findings, String endpoint, StoreStatus.Waiting it) {
    if (it.stuck() != null && it.stuck().timesInFlight() > 1) {
      findings.add(
          Diagnosis.wrong(
              "stuck",
              "%s: message %s was in flight %d times without an outcome"
                  .formatted(endpoint, it.stuck().messageId(), it.stuck().timesInFlight()),
              "find out what kills the process that handles it; inbox show has the message"));
    }
    if (it.holdingKey() != null) {
      findings.add(
          Diagnosis.wrong(
              "stuck",
              "%s: the dead message %s holds its ordering key".formatted(endpoint, it.holdingKey()),
              "inbox replay or inbox discard it"));
    }
    if (it.blocked() != null) {
      findings.add(
          Diagnosis.wrong(
              "stuck",
              "%s: %s".formatted(endpoint, it.blocked()),
              "inbox expedite %1$s, or inbox discard %1$s --status pending"
                  .formatted(it.blocked().messageId())));
    }
    if (it.pause() != null) {
      findings.add(
          Diagnosis.warning(
              "pause",
              "%s: by %s since %s: %s"
                  .formatted(endpoint, it.pause().by(), it.pause().since(), it.pause().reason()),
              "inbox resume " + endpoint));
    }
  }
}
