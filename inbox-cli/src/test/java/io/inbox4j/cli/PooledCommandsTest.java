package io.inbox4j.cli;

import static io.inbox4j.cli.Tables.BILLING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inbox4j.cli.Cli.Result;
import io.inbox4j.testkit.PgBouncer;
import io.inbox4j.testkit.PostgresServer;
import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command line through a PgBouncer in transaction mode. */
@Tag("slow")
@Timeout(120)
class PooledCommandsTest {

  @Test
  void theCommandsWorkAndLeaveNothingBehindInTheSessionsOfOthers() {
    assumeTrue(PgBouncer.isPossible(), "this machine has no pgbouncer");
    Tables tables = Tables.filled();
    tables.execute("UPDATE inbox_processed SET processed_on_utc = now() - interval '3 days'");
    try (PgBouncer pooler = PgBouncer.start(PostgresServer.shared().port())) {
      String url = pooler.jdbcUrl(tables.url()).replace("&prepareThreshold=0", "");
      for (List<String> command :
          List.of(
              List.of("status"),
              List.of("list"),
              List.of("purge", "--endpoint", BILLING, "--retention-days", "2", "--yes"))) {
        Result result = Cli.here(with(command, url));
        assertThat(result.code()).as("%s: %s", command, result).isZero();
      }
      assertThat(tables.count("SELECT count(*) FROM inbox_processed")).isZero();
      assertThat(Cli.here("doctor", "--jdbc", url).out()).contains("pooler", "--notifications-url");
      Jdbi others = Jdbi.create(pooler.jdbcUrl(tables.url()));
      assertThat(
              others.<String, RuntimeException>withHandle(
                  it -> it.select("SHOW statement_timeout").mapTo(String.class).one()))
          .isEqualTo("0");
    }
    assertThat(Cli.here("doctor", "--jdbc", tables.url()).out()).doesNotContain("pooler");
  }

  private static String[] with(List<String> command, String url) {
    return Stream.concat(command.stream(), Stream.of("--jdbc", url)).toArray(String[]::new);
  }
}
