package io.inbox4j.cli;

import static io.inbox4j.cli.Tables.BILLING;
import static io.inbox4j.cli.Tables.SHIPPING;
import static io.inbox4j.cli.Tables.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.cli.Cli.Result;
import io.inbox4j.jdbi.JdbiInboxStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Every command, as a process of its own, on a real database. */
@Timeout(180)
@Tag("slow")
class CommandsTest {

  @Test
  void migrateCreatesTheTablesOnce() {
    Tables tables = Tables.none();
    Result first = Cli.process("migrate", "--jdbc", tables.url(), "--json");
    assertThat(first.code()).as(first.err()).isZero();
    assertThat(first.json().get("before").asInt()).isZero();
    assertThat(tables.count("SELECT max(version) FROM inbox_migrations"))
        .isEqualTo(JdbiInboxStore.schemaVersion())
        .isEqualTo(first.json().get("version").asLong());
    assertThat(Cli.here("migrate", "--jdbc", tables.url()).out()).contains("nothing to do");
  }

  @Test
  void statusSaysWhatTheTablesSay() {
    Tables tables = Tables.filled();
    tables.execute(
        "INSERT INTO inbox_paused (endpoint, paused_by, reason) VALUES ('%s', 'anna', 'stock')"
            .formatted(SHIPPING));
    Result result = Cli.process("status", "--jdbc", tables.url(), "--json");
    assertThat(result.code()).as(result.err()).isZero();
    JsonNode endpoints = result.json().get("endpoints");
    assertThat(endpoints).hasSize(2);
    JsonNode billing = endpoints.get(0);
    String of = " WHERE endpoint = '%s'".formatted(BILLING);
    assertThat(billing.get("endpoint").asString()).isEqualTo(BILLING);
    assertThat(billing.get("pending").asLong())
        .isEqualTo(tables.count("SELECT count(*) FROM inbox_pending" + of))
        .isEqualTo(5);
    assertThat(billing.get("retrying").asLong())
        .isEqualTo(tables.count("SELECT count(*) FROM inbox_pending" + of + " AND attempts > 0"))
        .isEqualTo(2);
    assertThat(billing.get("dead").asLong())
        .isEqualTo(tables.count("SELECT count(*) FROM inbox_dead" + of))
        .isEqualTo(3);
    assertThat(billing.get("quarantined").asLong())
        .isEqualTo(tables.count("SELECT count(*) FROM inbox_quarantine" + of))
        .isEqualTo(2);
    assertThat(billing.get("oldestSeconds").asDouble()).isBetween(30.0, 300.0);
    assertThat(billing.get("lagSeconds").asDouble()).isEqualTo(20.0);
    assertThat(billing.get("paused").isNull()).isTrue();
    JsonNode shipping = endpoints.get(1);
    assertThat(shipping.get("pending").asLong()).isEqualTo(1);
    assertThat(shipping.get("paused").get("by").asString()).isEqualTo("anna");
    assertThat(Cli.here("status", "--jdbc", tables.url()).out())
        .contains("ENDPOINT", BILLING, SHIPPING, "by anna: stock")
        .doesNotContain("\u001b");
  }

  @Test
  void statusShowsTheRunningProcessesAndWhatNoneOfThemHandles() {
    Tables tables = Tables.filled();
    assertThat(Cli.here("status", "--jdbc", tables.url()).out())
        .contains(
            "No process is running.",
            "No running process handles order-placed at billing.orders; its messages are pending",
            "No running process handles order-placed at billing.orders; its deliveries are in"
                + " quarantine");
    tables.execute(
        """
        INSERT INTO inbox_processes (id, name, host, pid, version, roles, endpoints, handled_at,
                                     handled_types, started_on_utc, seen_on_utc)
        VALUES (gen_random_uuid(), 'billing-7f9c', 'web-1', 4711, '1.2', '{receiving,processing}',
                '{billing.orders}', '{billing.orders}', '{order-placed}', now(), now()),
               (gen_random_uuid(), 'long dead', 'web-1', 4712, '1.2', '{processing}',
                '{shipping.orders}', '{shipping.orders}', '{order-placed}', now(),
                now() - interval '1 minute')
        """);
    assertThat(Cli.here("status", "--jdbc", tables.url()).out())
        .contains("billing-7f9c", "web-1", "4711", "receiving, processing")
        .contains("billing.orders: order-placed")
        .contains("No running process handles order-placed at shipping.orders")
        .doesNotContain("handles order-placed at billing.orders", "long dead");
    JsonNode json = Cli.here("status", "--jdbc", tables.url(), "--json").json();
    assertThat(json.get("processes")).hasSize(1);
    assertThat(json.get("processes").get(0).get("name").asString()).isEqualTo("billing-7f9c");
    assertThat(json.get("processes").get(0).get("handled").get(BILLING).get(0).asString())
        .isEqualTo("order-placed");
    assertThat(json.get("unhandled")).hasSize(1);
    assertThat(json.get("unhandled").get(0).get("endpoint").asString()).isEqualTo(SHIPPING);
  }

  @Test
  void showListsTheFailedAttemptsOfAMessageThatIsProcessed() {
    Tables tables = Tables.filled();
    tables.execute(
        """
        INSERT INTO inbox_attempts (seq, number, attempt, took_millis, fingerprint, process,
                                    error_class, error)
        SELECT seq, 1, 1, 12, '05726319b0034982', 'billing-7f9c', 'shop.NoStock',
               E'shop.NoStock: none left\nbecause of shop.Other' FROM inbox_processed WHERE seq = 9
        UNION ALL
        SELECT seq, 2, 2, NULL, 'crash', NULL, NULL, 'the process died' FROM inbox_processed
        WHERE seq = 9
        """);
    assertThat(Cli.here("show", id(9), "--jdbc", tables.url()).out())
        .contains("processed", "ATTEMPT", "12ms", "billing-7f9c", "05726319b0034982")
        .contains("shop.NoStock: none left", "the process died")
        .doesNotContain("because of shop.Other");
    JsonNode attempts =
        Cli.here("show", id(9), "--jdbc", tables.url(), "--json")
            .json()
            .get(0)
            .get("failedAttempts");
    assertThat(attempts).hasSize(2);
    assertThat(attempts.get(0).get("error").asString()).contains("because of shop.Other");
    assertThat(attempts.get(1).get("process").isNull()).isTrue();
  }

  @Test
  void listFindsMessagesByTheirStatus() {
    Tables tables = Tables.filled();
    Result dead = Cli.process("list", "--jdbc", tables.url());
    assertThat(dead.code()).as(dead.err()).isZero();
    assertThat(dead.out()).contains("no such customer", id(6), id(7), id(8));
    assertThat(listed(tables, "dead")).containsExactly(id(6), id(7), id(8));
    assertThat(listed(tables, "dead", "--limit", "2")).containsExactly(id(6), id(7));
    assertThat(listed(tables, "dead", "--text", "price list")).isEmpty();
    assertThat(listed(tables, "dead", "--older-than", "1h")).isEmpty();
    assertThat(listed(tables, "pending", "--endpoint", SHIPPING)).containsExactly(id(1));
    assertThat(listed(tables, "pending", "--type", "order-placed")).hasSize(6);
    assertThat(listed(tables, "pending", "--older-than", "10m")).isEmpty();
    assertThat(listed(tables, "retrying", "--text", "price list")).containsExactly(id(1), id(2));
    assertThat(listed(tables, "processed")).containsExactly(id(12), id(11), id(10), id(9));
    assertThat(listed(tables, "processed", "--type", "another")).isEmpty();
    assertThat(listed(tables, "quarantined")).containsExactly("q1", "q2");
  }

  private static List<String> listed(Tables tables, String status, String... filter) {
    String[] all = new String[filter.length + 6];
    List.of("list", "--json", "--jdbc", tables.url(), "--status", status).toArray(all);
    System.arraycopy(filter, 0, all, 6, filter.length);
    Result result = Cli.here(all);
    assertThat(result.code()).as(result.err()).isZero();
    return result.json().valueStream().map(it -> it.get("id").asString()).toList();
  }

  @Test
  void showTellsWhatIsKnownOfAMessageAndWhoHadItInFlight() {
    Tables tables = Tables.filled();
    assertThat(Cli.here("replay", id(7), "--jdbc", tables.url(), "--by", "anna").code()).isZero();
    Result replayed = Cli.process("show", id(7), "--jdbc", tables.url());
    assertThat(replayed.code()).as(replayed.err()).isZero();
    assertThat(replayed.out()).contains("pending", "anna", "no such customer");
    assertThat(replayed.out()).as("the body is private").doesNotContain("{\"order\"");
    JsonNode both = Cli.here("show", id(1), "--jdbc", tables.url(), "--json", "--body").json();
    assertThat(both).hasSize(2);
    assertThat(both.get(0).get("status").asString()).isEqualTo("retrying");
    assertThat(both.get(0).get("body").asString()).contains("order");
    assertThat(both.get(0).get("history")).isEmpty();
    assertThat(Cli.here("show", "q2", "--jdbc", tables.url(), "--body").out())
        .contains("invalid-json", "nonsense");
    Result nobody = Cli.here("show", id(99), "--jdbc", tables.url());
    assertThat(nobody.code()).isEqualTo(1);
    assertThat(nobody.err()).contains(id(99));
  }

  @Test
  void replayBringsBackDeadAndQuarantinedMessages() {
    Tables tables = Tables.filled();
    Result one =
        Cli.process(
            "replay", id(6), "q1", "--by", "anna", "--reason", "mended", "--jdbc", tables.url());
    assertThat(one.code()).as(one.err()).isZero();
    assertThat(one.out()).contains("2 messages will be handled again");
    assertThat(tables.texts("SELECT DISTINCT done_by FROM inbox_interventions"))
        .containsExactly("anna: mended");
    assertThat(tables.count("SELECT count(*) FROM inbox_dead")).isEqualTo(2);
    assertThat(tables.count("SELECT count(*) FROM inbox_quarantine")).isEqualTo(1);
    Result rest = Cli.here("replay", "--endpoint", BILLING, "--json", "--jdbc", tables.url());
    assertThat(rest.json().get("replayed").asInt()).isEqualTo(2);
    assertThat(tables.count("SELECT count(*) FROM inbox_pending")).isEqualTo(6 + 3 + 1);
    Result again = Cli.here("replay", id(6), "--jdbc", tables.url());
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.err()).contains("is pending");
  }

  @Test
  void aPersonIsAskedBeforeAnythingIsDestroyed() {
    Tables tables = Tables.filled();
    List<String> before = tables.everything();
    for (String typed : List.of("n\n", "\n", "")) {
      Result unsure = Cli.answered(typed, "discard", id(8), "--jdbc", tables.url());
      assertThat(unsure.code()).as("%s", unsure).isEqualTo(1);
      assertThat(unsure.err()).contains("cannot be undone", "[y/N]", "Nothing was changed");
    }
    assertThat(tables.everything()).isEqualTo(before);
    Result sure = Cli.answered("y\n", "discard", id(8), "--jdbc", tables.url());
    assertThat(sure.code()).as("%s", sure).isZero();
    assertThat(sure.out()).contains("1 message is discarded.");
    assertThat(tables.everything()).isNotEqualTo(before);
  }

  @Test
  void discardNeedsAYesAndRecordsWhoDidIt() {
    Tables tables = Tables.filled();
    List<String> before = tables.everything();
    Result unsure = Cli.process("discard", "--all", "--jdbc", tables.url());
    assertThat(unsure.code()).isEqualTo(2);
    assertThat(unsure.err()).contains("--yes");
    assertThat(tables.everything()).isEqualTo(before);
    Result sure =
        Cli.process(
            "discard", id(8), "q2", "--yes", "--by", "ben", "--jdbc", tables.url(), "--json");
    assertThat(sure.code()).as(sure.err()).isZero();
    assertThat(sure.json().get("discarded").asInt()).isEqualTo(2);
    assertThat(tables.texts("SELECT origin || ' ' || done_by FROM inbox_interventions ORDER BY 1"))
        .containsExactly("dead ben", "quarantine ben");
    assertThat(tables.texts("SELECT status FROM inbox WHERE id = '%s'".formatted(id(8))))
        .containsExactly("discarded");
    Result filtered =
        Cli.here("discard", "--text", "customer", "--yes", "--json", "--jdbc", tables.url());
    assertThat(filtered.json().get("discarded").asInt()).isEqualTo(2);
  }

  @Test
  void aMessageThatBlocksItsKeyIsFoundAndExpedited() {
    Tables tables = Tables.blocked();
    Result status = Cli.process("status", "--jdbc", tables.url(), "--json");
    assertThat(status.code()).as(status.err()).isZero();
    JsonNode blocked = status.json().get("endpoints").get(1).get("blocked");
    assertThat(blocked.get("waiting").asLong()).isEqualTo(1);
    assertThat(blocked.get("messageId").asString()).isEqualTo(id(1));
    assertThat(blocked.get("until").asString()).isEqualTo("2999-01-31T08:00:00Z");
    assertThat(Cli.here("status", "--jdbc", tables.url()).out())
        .contains("1 by " + id(1) + " until 2999-01-31T08:00:00Z");
    assertThat(Cli.here("list", "--status", "pending", "--jdbc", tables.url()).out())
        .contains("DUE", "2999-01-31T08:00:00Z");
    Result doctor = Cli.here("doctor", "--jdbc", tables.url());
    assertThat(doctor.code()).isEqualTo(1);
    assertThat(doctor.out())
        .contains(
            SHIPPING + ": 1 message waits for message " + id(1),
            "not due before 2999-01-31T08:00:00Z")
        .contains("inbox expedite " + id(1));
    Result several = Cli.here("expedite", id(1), "--jdbc", tables.url());
    assertThat(several.code()).isEqualTo(1);
    assertThat(several.err()).contains("several endpoints", "--endpoint");
    Result expedited =
        Cli.process(
            "expedite", id(1), "--endpoint", SHIPPING, "--by", "anna", "--jdbc", tables.url());
    assertThat(expedited.code()).as(expedited.err()).isZero();
    assertThat(expedited.out()).contains("1 message is due now.");
    assertThat(Cli.here("doctor", "--jdbc", tables.url()).out()).doesNotContain("not due before");
    assertThat(Cli.here("show", id(1), "--endpoint", SHIPPING, "--jdbc", tables.url()).out())
        .containsPattern("expedited .* by anna, it was: due at 2999-01-31T08:00:00Z");
    Result again = Cli.here("expedite", "--endpoint", SHIPPING, "--json", "--jdbc", tables.url());
    assertThat(again.json().get("expedited").asInt()).isZero();
    Result dead = Cli.here("expedite", id(6), "--jdbc", tables.url());
    assertThat(dead.code()).isEqualTo(1);
    assertThat(dead.err()).contains("is dead; only pending ones can be expedited");
  }

  @Test
  void aPendingMessageIsDiscardedOnRequestOnlyAndNeverInFlight() {
    Tables tables = Tables.filled();
    List<String> before = tables.everything();
    Result careless = Cli.here("discard", id(3), "--yes", "--jdbc", tables.url());
    assertThat(careless.code()).isEqualTo(1);
    assertThat(careless.err()).contains("is pending", "--status pending");
    assertThat(tables.everything()).isEqualTo(before);
    tables.execute(
        "UPDATE inbox_pending SET lease = 1, due_on_utc = now() + interval '1 h', lane = -1 - lane"
            + " WHERE seq = 4");
    Result some =
        Cli.process(
            "discard",
            "--status",
            "pending",
            "--endpoint",
            BILLING,
            "--yes",
            "--by",
            "ben",
            "--json",
            "--jdbc",
            tables.url());
    assertThat(some.code()).as(some.err()).isZero();
    assertThat(some.json().get("discarded").asInt()).isEqualTo(4);
    assertThat(some.json().get("inFlight").asInt()).isEqualTo(1);
    assertThat(tables.texts("SELECT DISTINCT origin || ' ' || done_by FROM inbox_interventions"))
        .containsExactly("pending ben");
    Result shown = Cli.here("show", id(3), "--json", "--jdbc", tables.url());
    assertThat(shown.json().get(0).get("status").asString()).isEqualTo("discarded");
    assertThat(shown.json().get(0).get("history").get(0).get("action").asString())
        .isEqualTo("discard");
    Result inFlight =
        Cli.here("discard", id(4), "--status", "pending", "--yes", "--jdbc", tables.url());
    assertThat(inFlight.code()).isEqualTo(1);
    assertThat(inFlight.out()).contains("0 messages", "1 is in flight");
  }

  @Test
  void purgeRemovesWhatWasKeptLongEnough() {
    Tables tables = Tables.filled();
    tables.execute("UPDATE inbox_processed SET processed_on_utc = now() - interval '3 days'");
    Result unsure =
        Cli.here("purge", "--endpoint", BILLING, "--retention-days", "2", "--jdbc", tables.url());
    assertThat(unsure.code()).isEqualTo(2);
    assertThat(tables.count("SELECT count(*) FROM inbox_processed")).isEqualTo(4);
    Result sure =
        Cli.process(
            Map.of("INBOX_RETENTION_DAYS", "2"),
            List.of("-Dinbox.terminal=2"),
            "purge",
            "--endpoint",
            BILLING,
            "--yes",
            "--json",
            "--jdbc",
            tables.url());
    assertThat(sure.code()).as(sure.err()).isZero();
    assertThat(sure.json().get("removed").asLong()).isEqualTo(4);
    assertThat(sure.err()).as("a terminal sees the progress").contains("[").contains("%");
    assertThat(tables.count("SELECT count(*) FROM inbox_messages")).isEqualTo(9);
  }

  @Test
  void purgeWithoutAnEndpointRemovesWhatTheWorkersKeepNoLonger() {
    Tables tables = Tables.filled();
    tables.execute("UPDATE inbox_processed SET processed_on_utc = now() - interval '3 days'");
    String[] purge = {"purge", "--yes", "--json", "--jdbc", tables.url()};
    assertThat(Cli.here(purge).json().get("removed").asLong()).isZero();
    declare(tables, "2 days");
    assertThat(Cli.here(purge).json().get("removed").asLong()).isEqualTo(4);
  }

  @Test
  void purgeLeavesWhatARunningProcessKeepsForLongerUnlessForced() {
    Tables tables = Tables.filled();
    tables.execute("UPDATE inbox_processed SET processed_on_utc = now() - interval '3 days'");
    declare(tables, "7 days");
    List<String> purge =
        List.of("purge", "--endpoint", BILLING, "--retention-days", "2", "--yes", "--jdbc");
    Result left = Cli.here(with(purge, tables.url()));
    assertThat(left.out()).contains("0 messages removed");
    assertThat(left.err()).contains(BILLING, "7d 0h", "--force");
    assertThat(Cli.here(with(purge, tables.url(), "--force")).out()).contains("4 messages removed");
  }

  private static void declare(Tables tables, String keep) {
    tables.execute(
        "INSERT INTO inbox_retention_policy (endpoint, keep, dedup_window) VALUES ('%s', '%s', '%s')"
            .formatted(BILLING, keep, keep));
  }

  private static String[] with(List<String> arguments, String... more) {
    return Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void pauseAndResume(@TempDir Path folder) throws Exception {
    Tables tables = Tables.filled();
    Path config = folder.resolve("inbox.properties");
    Files.writeString(config, "database-url = " + tables.url());
    Result pause =
        Cli.process(
            "pause", BILLING, "--by", "anna", "--reason", "stock", "--config", config.toString());
    assertThat(pause.code()).as(pause.err()).isZero();
    assertThat(tables.texts("SELECT endpoint || paused_by || reason FROM inbox_paused"))
        .containsExactly(BILLING + "annastock");
    assertThat(Cli.here("pause", BILLING, "--reason", "again", "--jdbc", tables.url()).out())
        .contains("already", "anna", "stock");
    Result unknown = Cli.here("pause", "biling", "--reason", "typo", "--jdbc", tables.url());
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).contains("'biling'", BILLING);
    Result resume =
        Cli.process(Map.of("INBOX_DATABASE_URL", tables.url()), List.of(), "resume", BILLING);
    assertThat(resume.code()).as(resume.err()).isZero();
    assertThat(resume.out()).contains("goes on", "anna");
    assertThat(tables.count("SELECT count(*) FROM inbox_paused")).isZero();
  }

  @Test
  void completionIsAScriptThatBashUnderstands() throws Exception {
    Result result = Cli.process("completion");
    assertThat(result.code()).isZero();
    Process bash = new ProcessBuilder("bash", "-n").start();
    bash.getOutputStream().write(result.out().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    bash.getOutputStream().close();
    assertThat(bash.waitFor()).isZero();
    assertThat(result.out()).contains("doctor", "--retention-days");
  }
}
