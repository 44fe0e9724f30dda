package io.inbox4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.examples.support.EmbeddedServers;
import io.inbox4j.examples.support.Servers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs every example as a process of its own, as a user does. */
@Tag("slow")
class ExamplesTest {

  private static EmbeddedServers servers;

  @BeforeAll
  static void startServers() throws Exception {
    servers = EmbeddedServers.start();
  }

  @AfterAll
  static void stopServers() throws Exception {
    servers.close();
  }

  @Test
  void theQuickStartWritesOneInvoiceForEachOrderOnItsEmbeddedServers() throws Exception {
    ProgramOutput output = ProgramOutput.of(Examples.class, Map.of(), "in-process");
    assertThat(output.lines())
        .contains("Invoices of the first order:  1", "Invoices of the second order: 1");
    assertThat(output.exitCode()).isZero();
  }

  @Test
  void theReceiverStoresAndTheWorkerHandlesLater() throws Exception {
    assertThat(run("two-programs"))
        .containsExactly(
            "Only the receiver has run, and has ended:",
            "  stored:  100 orders",
            "  handled:   0 orders",
            "Then only the worker has run:",
            "  stored:  100 orders",
            "  handled: 100 orders");
  }

  @Test
  void aFailedHandlerLeavesNoTraceAndASuccessfulOneLeavesAll() throws Exception {
    assertThat(run("transactional"))
        .containsSubsequence("  parcels:     0", "  lamps left:  3")
        .containsSubsequence("  the message: processed", "  parcels:     1", "  lamps left:  8");
  }

  @Test
  void deadMessagesAreListedWithTheirReasonsReplayedAndDiscarded() throws Exception {
    List<String> lines = run("retry-and-replay");
    assertThat(lines.subList(lines.indexOf("The dead:") + 1, lines.size()))
        .anyMatch(line -> line.startsWith("  after attempt 3: attempt 3 of 3 failed"))
        .anyMatch(line -> line.startsWith("  after attempt 1: the policy gives up on this at once"))
        .anyMatch(line -> line.startsWith("  after attempt 1: the handler gave up"))
        .contains("Replayed: 1; discarded: 1; still dead: 1");
    assertThat(lines.subList(lines.size() - 3, lines.size()))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("Who did what"),
            line -> assertThat(line).startsWith("  anna: DISCARD of payments.payment-due after"),
            line -> assertThat(line).startsWith("  bert: REPLAY of payments.payment-due after"));
  }

  @Test
  void badInputIsKeptWithItsReasonAndComesBackWhenItCanBeRead() throws Exception {
    assertThat(run("bad-input"))
        .anyMatch(line -> line.startsWith("  invalid-json "))
        .anyMatch(line -> line.startsWith("  missing-id "))
        .anyMatch(line -> line.startsWith("  content-type "))
        .anyMatch(line -> line.startsWith("  body-too-large "))
        .anyMatch(line -> line.startsWith("  unknown-type "))
        .endsWith(
            "Replayed: 1; handled: [orders.order-refunded, orders.order-placed];"
                + " still in quarantine: 3");
  }

  @Test
  void stepsOfOneParcelStayInOrderWhileAnotherOvertakesIt() throws Exception {
    List<String> lines = run("ordered");
    assertThat(lines).containsSubsequence("  red packed", "  red shipped", "  red delivered");
    assertThat(lines).containsSubsequence("  blue packed", "  blue shipped", "  blue delivered");
    assertThat(lines).containsSubsequence("  red packed", "  blue packed");
  }

  @Test
  void remindersComeWhenTheirTimeHasCome() throws Exception {
    assertThat(run("delays"))
        .contains("At once:     [lunch]", "Expedited:   holiday")
        .anyMatch(line -> line.startsWith("In the end:  [lunch, ") && line.contains("tea"));
  }

  @Test
  void oldAndNewVersionsOfAnEventAreHandled() throws Exception {
    assertThat(run("evolving-types"))
        .containsExactly(
            "PaidIn of 500 cents, sent as accounts.paid-in",
            "PaidIn of 700 cents, sent as accounts.deposited",
            "PaidOut of 300 cents, sent as accounts.paid-out.v1");
  }

  @Test
  void oneEventIsReadInThreeFormats() throws Exception {
    assertThat(run("formats"))
        .containsSubsequence("chair: 12", "lamp: 3", "table: 2")
        .anyMatch(line -> line.startsWith("sent") && line.endsWith("bytes of application/cbor"));
  }

  @Test
  void middlewareRunsAroundTheHandlerInItsTransaction() throws Exception {
    assertThat(run("middleware"))
        .containsExactly("begin report-asked", "  a report for acme", "end report-asked");
  }

  @Test
  void slowWorkRunsManyAtOnceAndItsReceiptsAreWrittenOnce() throws Exception {
    assertThat(run("leased"))
        .contains("Receipts:             100", "Handlers at once:     more than the 5 connections");
  }

  @Test
  void whatFailsInlineIsLeftToTheProcessor() throws Exception {
    assertThat(run("inline"))
        .containsExactly("Without a worker:  1 price", "With a worker:     2 prices");
  }

  @Test
  void oneStatementStoresABatchWithoutItsBadMember() throws Exception {
    assertThat(run("batches"))
        .contains(
            "Readings stored:   199", "Meters replaced:   100", "Statements:        far fewer")
        .anyMatch(line -> line.startsWith("Left out:") && line.contains("m77 was read backwards"));
  }

  @Test
  void aSubscriptionIsPausedResizedAndRestsWhileMostFails() throws Exception {
    assertThat(run("control"))
        .containsExactly(
            "paused by anna: no paper; printed 0",
            "resumed; printed 3",
            "workers now: 1",
            "it rests: most labels fail",
            "it goes on",
            "printed 13");
  }

  @Test
  void aLagIsToldWhileItLasts() throws Exception {
    assertThat(run("health"))
        .contains("parts: 9", "alarm: lag is DEGRADED", "The inbox is DEGRADED", "the lag is UP")
        .anyMatch(line -> line.contains("DEGRADED lag") && line.contains("allowed are 2 s"));
  }

  @Test
  void metricsCountWhatCameOnceTwiceAndBroken() throws Exception {
    assertThat(run("metrics"))
        .containsExactly(
            "inbox.messages.received        1",
            "inbox.messages.duplicates      1",
            "inbox.messages.processed       1",
            "inbox.deliveries.quarantined   1");
  }

  @Test
  void theProducersTraceGoesOnInTheHandler() throws Exception {
    assertThat(run("traces")).containsExactly("The handler's trace is the producer's: true");
  }

  @Test
  void theNamesAreListedWhenNoneIsGiven() throws Exception {
    ProgramOutput output = ProgramOutput.of(Examples.class, Map.of());
    assertThat(output.lines()).anyMatch(line -> line.startsWith("  in-process "));
    assertThat(output.exitCode()).isZero();
  }

  @Test
  void aNameThatIsNoneIsRefused() throws Exception {
    ProgramOutput output = ProgramOutput.of(Examples.class, Map.of(), "quick-start");
    assertThat(output.lines()).singleElement().asString().contains("'quick-start'", "in-process");
    assertThat(output.exitCode()).isEqualTo(2);
  }

  @Test
  void aProgramThatNeedsServersSaysWhichVariableIsMissing() throws Exception {
    ProgramOutput output =
        ProgramOutput.of(Examples.class, Map.of(Servers.JDBC, servers.jdbcUrl()), "receiver");
    assertThat(output.lines()).singleElement().asString().contains("INBOX_AMQP is not set");
    assertThat(output.exitCode()).isEqualTo(2);
  }

  /** Runs an example on servers that are there already. */
  private static List<String> run(String example) throws Exception {
    Map<String, String> given =
        Map.of(Servers.AMQP, servers.amqpUri(), Servers.JDBC, servers.jdbcUrl());
    ProgramOutput output = ProgramOutput.of(Examples.class, given, example);
    assertThat(output.exitCode()).as("exit code after %s", output.lines()).isZero();
    return output.lines();
  }
}
