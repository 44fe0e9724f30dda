package io.inbox4j.cli;

import static io.inbox4j.cli.Tables.BILLING;
import static io.inbox4j.cli.Tables.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.cli.Cli.Result;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What producers and others wrote is shown, and does nothing to the terminal. */
@Timeout(120)
class ForeignTextTest {

  private static final String FORGED = "FORGED";

  /** Clears the screen, sets its title, rings, turns the writing, and begins lines of its own. */
  private static final String HOSTILE =
      "a\u001b[2J\u001b]0;owned\u0007\u009b2K\u0085\r\u202eb\u2028%1$s\u200b\u007f\n%1$s  dead"
          .formatted(FORGED);

  private static final String FILL =
      """
      UPDATE inbox_messages SET type = :hostile, correlation_id = :hostile, source = :hostile,
                                content_type = :hostile, headers = :hostile, ordering_key = :hostile,
                                body = convert_to(:hostile, 'UTF8');
      UPDATE inbox_pending SET last_error = :hostile WHERE attempts > 0;
      UPDATE inbox_dead SET error = :hostile, blocked_key = :hostile;
      UPDATE inbox_quarantine SET type = :hostile, detail = :hostile, message_id = :hostile,
                                  body = convert_to(:hostile, 'UTF8');
      INSERT INTO inbox_interventions (action, origin, seq, endpoint, type, reason, done_by)
      SELECT 'replay', 'dead', seq, endpoint, type, type, type FROM inbox_messages;
      INSERT INTO inbox_paused (endpoint, paused_by, reason) VALUES (:hostile, :hostile, :hostile);
      """;

  private static Tables hostile() {
    Tables tables = Tables.filled();
    tables.jdbi().useHandle(handle -> handle.createUpdate(FILL).bind("hostile", HOSTILE).execute());
    return tables;
  }

  @Test
  @Tag("slow")
  void noCommandLetsItAct() {
    Tables tables = hostile();
    for (String command :
        List.of(
            "list",
            "list --status pending",
            "list --status retrying",
            "list --status processed",
            "list --status quarantined",
            "list --endpoint HOSTILE",
            "show ID --body",
            "show DEAD --body",
            "show q2 --body",
            "status",
            "doctor",
            "pause HOSTILE --reason HOSTILE --by HOSTILE",
            "pause HOSTILE-unknown --reason none",
            "resume HOSTILE",
            "replay DEAD --endpoint HOSTILE",
            "replay --all --by HOSTILE",
            "replay --status quarantined --endpoint HOSTILE",
            "discard --endpoint HOSTILE",
            "show HOSTILE",
            "run --application HOSTILE")) {
      String[] args = (command + " --jdbc " + tables.url()).split(" ", -1);
      for (int i = 0; i < args.length; i++) {
        args[i] = args[i].replace("HOSTILE", HOSTILE).replace("ID", id(1)).replace("DEAD", id(6));
      }
      Result plain = Cli.here(args);
      assertHarmless(command, plain.out() + plain.err());
      Result coloured = Cli.atTerminal(args);
      assertHarmless(command, withoutColours(coloured.out() + coloured.err()));
      if (command.matches("list.*|show.*body|status|doctor")) {
        Result json = Cli.here(append(args, "--json"));
        assertHarmless(command, json.out() + json.err());
        assertThat(json.json()).isNotNull();
      }
    }
    assertHarmless("a command of this name", Cli.here(HOSTILE).err());
  }

  private static String[] append(String[] args, String last) {
    String[] all = Arrays.copyOf(args, args.length + 1);
    all[args.length] = last;
    return all;
  }

  @Test
  void programsGetItAsItIs() {
    Tables tables = hostile();
    Result shown = Cli.here("show", id(6), "--body", "--json", "--jdbc", tables.url());
    assertThat(shown.json().get(0).get("type").asString()).isEqualTo(HOSTILE);
    assertThat(shown.json().get(0).get("body").asString()).isEqualTo(HOSTILE);
    assertThat(shown.json().get(0).get("error").asString()).isEqualTo(HOSTILE);
  }

  @Test
  void aBodyOfSeveralLinesIsShownInLinesThatCannotBeTakenForFields() {
    Tables tables = Tables.filled();
    tables.execute(
        """
        UPDATE inbox_messages SET body = convert_to(E'{\\r\\n\\t"order": 6\\nstatus  x}', 'UTF8')
        WHERE seq = 6
        """);
    assertThat(Cli.here("show", id(6), "--body", "--jdbc", tables.url()).out())
        .contains(
            """
            body                       {
                                       \t"order": 6
                                       status  x}
            """
                .replace("\n", System.lineSeparator()));
  }

  @Test
  void tailLetsNothingActEither() {
    Tables tables = hostile();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<Result> tail =
          CompletableFuture.supplyAsync(
              () ->
                  Cli.here(
                      "tail",
                      "--jdbc",
                      tables.url(),
                      "--every",
                      "100ms",
                      "--count",
                      "2",
                      "--for",
                      "60s"),
              thread);
      await()
          .atMost(Duration.ofSeconds(90))
          .pollInterval(Duration.ofMillis(200))
          .until(
              () -> {
                arrive(tables);
                return tail.isDone();
              });
      Result result = tail.join();
      assertThat(result.out()).contains("quarantined", "\\u001b[2J");
      assertHarmless("tail", result.out() + result.err());
      assertThat(result.out().lines()).hasSize(2);
    } finally {
      thread.shutdownNow();
    }
  }

  private static void arrive(Tables tables) {
    tables
        .jdbi()
        .useHandle(
            handle ->
                handle
                    .createUpdate(
                        """
                        INSERT INTO inbox_quarantine (endpoint, reason, detail, fingerprint, type,
                                                      body, redelivered)
                        VALUES (:endpoint, 'bad-id', :hostile, gen_random_uuid(), :hostile, '', false)
                        """)
                    .bind("endpoint", BILLING)
                    .bind("hostile", HOSTILE)
                    .execute());
  }

  private static String withoutColours(String text) {
    return text.replaceAll("\u001b\\[(0|1|31|32|33)m", "");
  }

  private static void assertHarmless(String command, String text) {
    assertThat(text.codePoints().filter(c -> c != '\n' && isActive(c)).toArray())
        .as("%s: %s", command, text)
        .isEmpty();
    assertThat(text.lines()).as(command).noneMatch(line -> line.startsWith(FORGED));
  }

  private static boolean isActive(int c) {
    return Character.isISOControl(c)
        || Character.getType(c) == Character.FORMAT
        || c == '\u2028'
        || c == '\u2029';
  }
}
