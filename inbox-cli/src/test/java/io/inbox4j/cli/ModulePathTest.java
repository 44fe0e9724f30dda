package io.inbox4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.cli.Cli.Result;
import io.inbox4j.testkit.PostgresServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The published modules on the module path, with what they export and open, and nothing else. */
@Timeout(120)
class ModulePathTest {

  @Test
  void theCommandsRunAsModules() {
    String url = PostgresServer.shared().newDatabase();

    Result migrate = Cli.ofModules("migrate", "--jdbc", url);
    assertThat(migrate.code()).as(migrate.toString()).isZero();

    Result status = Cli.ofModules("status", "--json", "--jdbc", url);
    assertThat(status.code()).as(status.toString()).isZero();
    assertThat(status.json().isObject()).isTrue();
  }
}
