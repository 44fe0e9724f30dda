package io.inbox4j.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.testkit.RabbitServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Neither payload nor passwords get into logs, exceptions, or texts about failures. */
@Tag("slow")
class CanaryTest {

  private static final int PATIENCE_SECONDS = 120;

  @TempDir Path output;

  @Test
  void secretsAreNowhereButWhereTheyBelong() throws Exception {
    List<List<String>> written = run(jdbcUrl(), amqpUri());
    List<String> log = written.get(0);
    List<String> surfaced = written.get(1);

    assertThat(log).anyMatch(line -> line.contains(" DEBUG "));
    assertThat(log).anyMatch(line -> line.contains("is dead after attempt"));
    assertThat(log).anyMatch(line -> line.contains("was refused, storing it one by one"));
    assertThat(surfaced).contains("surfaced").doesNotContain("no exception");
    assertThat(surfaced).anyMatch(line -> line.contains("violates check constraint"));
    assertThat(surfaced).anyMatch(line -> line.contains("password authentication failed"));
    assertThat(surfaced).anyMatch(line -> line.contains("ACCESS_REFUSED"));
    assertThat(Canary.SAID.in(surfaced)).isNotEmpty();

    for (Canary canary : Canary.values()) {
      assertThat(canary.in(log)).as("%s in the log", canary).isEmpty();
      if (canary != Canary.SAID) {
        assertThat(canary.in(surfaced)).as("%s in exceptions and texts", canary).isEmpty();
      }
    }
  }

  /** The log and what the program printed. */
  private List<List<String>> run(String jdbc, String amqp) throws Exception {
    Path log = output.resolve("log");
    Path printed = output.resolve("printed");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dlogback.configurationFile=logback-canary.xml",
                "-cp",
                System.getProperty("java.class.path"),
                CanaryProgram.class.getName(),
                jdbc,
                amqp)
            .redirectError(log.toFile())
            .redirectOutput(printed.toFile())
            .start();
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    List<String> lines = Files.readAllLines(log);
    assertThat(process.exitValue())
        .as(() -> String.join("\n", lines.subList(Math.max(0, lines.size() - 50), lines.size())))
        .isZero();
    return List.of(lines, Files.readAllLines(printed));
  }

  /** A database of a role whose password is asked for. */
  private static String jdbcUrl() throws Exception {
    Database database = Database.fresh();
    Jdbi jdbi = database.jdbi();
    jdbi.useHandle(
        handle ->
            handle.execute(
                "CREATE ROLE canary SUPERUSER LOGIN PASSWORD '%s'"
                    .formatted(Canary.JDBC_PASSWORD.text())));
    Path rules = Path.of(database.texts("SHOW hba_file").get(0));
    Files.writeString(rules, "host all canary all scram-sha-256\n" + Files.readString(rules));
    database.rows("SELECT pg_reload_conf()");
    return CanaryProgram.jdbcUrl(database.url());
  }

  private static String amqpUri() {
    RabbitServer broker = RabbitServer.shared();
    broker.ctl("add_user", "canary", Canary.AMQP_PASSWORD.text());
    broker.ctl("set_permissions", "canary", ".*", ".*", ".*");
    return CanaryProgram.amqpUri(broker.uri());
  }
}
