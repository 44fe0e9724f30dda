package io.inbox4j.cli;

import static io.inbox4j.cli.Tables.BILLING;
import static io.inbox4j.cli.Tables.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.Cli.Result;
import io.inbox4j.cli.application.InboxApplication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What cannot be meant: a clear error, the code 2, and nothing changed. */
@Timeout(120)
@Tag("slow")
class BadArgumentsTest {

  private static final String CANARY = "s3cret-canary";

  @Test
  void everyWrongCallSaysWhatWouldBeRightAndChangesNothing() {
    Tables tables = Tables.filled();
    List<String> before = tables.everything();
    Map<List<String>, String> wrong =
        Map.ofEntries(
            Map.entry(List.of("lst"), "list"),
            Map.entry(List.of("status", "--jsn"), "--json"),
            Map.entry(List.of("list", "--status", "done"), "pending"),
            Map.entry(List.of("list", "--limit", "0"), "1 to 10000"),
            Map.entry(List.of("list", "--limit", "many"), "many"),
            Map.entry(List.of("list", "--older-than", "soon"), "expected for example"),
            Map.entry(List.of("list", "--older-than", "999999999d"), "up to 36500d"),
            Map.entry(List.of("list", "--status", "processed", "--text", "x"), "--text"),
            Map.entry(List.of("show"), "ID"),
            Map.entry(List.of("show", "17"), "q17"),
            Map.entry(List.of("replay"), "--all"),
            Map.entry(List.of("replay", "--all", "--endpoint", BILLING), "--all"),
            Map.entry(List.of("replay", id(6), "--text", "x"), "expected one of them"),
            Map.entry(List.of("replay", "--all", "--by", " "), "--by"),
            Map.entry(List.of("discard", "--yes"), "--all"),
            Map.entry(List.of("discard", id(6)), "--yes"),
            Map.entry(List.of("discard", "--status", "pending", "--all", "--yes"), "--endpoint"),
            Map.entry(List.of("discard", "--status", "processed", "--all", "--yes"), "dead"),
            Map.entry(List.of("replay", "--status", "pending", "--all"), "quarantined"),
            Map.entry(List.of("expedite"), "--all"),
            Map.entry(List.of("purge", "--yes", "--retention-days", "9"), "--endpoint"),
            Map.entry(List.of("purge", "--yes", "--force"), "--endpoint"),
            Map.entry(List.of("purge", "--yes", "--endpoint", BILLING), "--retention-days"),
            Map.entry(purge("--retention-days", "0"), "1 or more"),
            Map.entry(purge("--retention-days", "-3"), "36,500"),
            Map.entry(purge("--retention-days", "9", "--dedup-days", "2"), "dedup window"),
            Map.entry(List.of("pause", BILLING), "--reason"),
            Map.entry(List.of("pause", "unknown", "--reason", "x"), BILLING),
            Map.entry(List.of("resume", "unknown"), BILLING),
            Map.entry(List.of("tail", "--every", "1ms"), "100ms"),
            Map.entry(List.of("tail", "--every", "2h"), "100ms to 1h"),
            Map.entry(List.of("tail", "--for", "999999999d"), "up to 36500d"),
            Map.entry(List.of("tail", "--count", "0"), "1 or more"),
            Map.entry(List.of("run", "--role", "rest"), "receive"),
            Map.entry(List.of("run", "--pool-size", "1", "--role", "process"), "2 to 10000"),
            Map.entry(List.of("run", "--close-deadline", "2d"), "1 ms to 1 day"),
            Map.entry(List.of("run", "--application", "shop.Missing"), "OrderApplication"),
            Map.entry(List.of("run", "--application", "java.lang.String"), "implements"),
            Map.entry(List.of("run", "--application", Unbuildable.class.getName()), "no arguments"),
            Map.entry(List.of("doctor", "--amqp", "http://" + CANARY + "@host"), "AMQP URI"));
    wrong.forEach(
        (args, right) -> {
          List<String> all = new ArrayList<>(args);
          if (!args.get(0).equals("lst")) {
            all.addAll(List.of("--jdbc", tables.url()));
          }
          Result result = Cli.here(all.toArray(String[]::new));
          assertThat(result.code()).as("%s: %s", args, result).isEqualTo(2);
          assertThat(result.err())
              .as("%s", args)
              .containsIgnoringCase(right)
              .doesNotContain("\tat ", CANARY);
          assertThat(result.out()).as("%s", args).isEmpty();
        });
    assertThat(tables.everything()).isEqualTo(before);
  }

  private static List<String> purge(String... retention) {
    List<String> purge = new ArrayList<>(List.of("purge", "--yes", "--endpoint", BILLING));
    purge.addAll(List.of(retention));
    return purge;
  }

  @Test
  void withoutADatabaseTheProcessEndsWithTwo() {
    Result result = Cli.process("status");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("--database-url", "INBOX_DATABASE_URL", "jdbc:postgresql://")
        .doesNotContain("\tat ");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void aPasswordIsNeverShown(@TempDir Path folder) throws Exception {
    Path secret = Files.writeString(folder.resolve("password"), CANARY + "\n");
    for (String url :
        List.of(
            "jdbc:postgresql://localhost:1/shop?user=a&password=" + CANARY,
            "postgres://a:" + CANARY + "@localhost/shop",
            "jdbc:postgresql://a:" + CANARY + "@localhost:1/shop")) {
      Result result = Cli.here("status", "--jdbc", url);
      assertThat(result.code()).isNotZero();
      assertThat(result.err() + result.out()).doesNotContain(CANARY);
    }
    Result away =
        Cli.process(
            "status",
            "--database-url",
            "jdbc:postgresql://localhost:1/shop",
            "--database-user",
            "anna",
            "--database-password-file",
            secret.toString());
    assertThat(away.code()).isEqualTo(1);
    assertThat(away.err())
        .contains("localhost:1/shop does not answer")
        .doesNotContain(CANARY, "\tat ");
    Result both =
        Cli.here(
            "status",
            "--jdbc",
            "jdbc:postgresql://localhost:1/shop",
            "--database-password=" + CANARY,
            "--database-password-file=" + secret);
    assertThat(both.code()).isEqualTo(2);
    assertThat(both.err()).contains("--database-password-file").doesNotContain(CANARY);
  }

  @Test
  void aFileWithAnUnknownSettingIsRefused(@TempDir Path folder) throws Exception {
    Path config = Files.writeString(folder.resolve("inbox.properties"), "database-ulr=x");
    Result result = Cli.here("status", "--config", config.toString());
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("database-ulr", "database-url");
    Result missing = Cli.here("status", "--config=" + folder.resolve("nowhere"));
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("nowhere");
  }

  @Test
  void tablesThatAreMissingAreAFailureThatNamesTheRemedy() {
    Result result = Cli.here("status", "--jdbc", Tables.none().url());
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("inbox migrate");
  }

  /** An application that nobody can create. */
  static final class Unbuildable implements InboxApplication {

    private final String queue;

    Unbuildable(String queue) {
      this.queue = queue;
    }

    @Override
    public void configure(InboxBuilder inbox) {
      inbox.subscribe(queue, OrderPlaced.class, (event, context) -> {});
    }
  }
}
