package io.inbox4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which RabbitMQ is taken when a folder is named. */
class RabbitInstallationTest {

  @TempDir Path folder;

  @Test
  void theProgramsOfTheNamedFolderAreTakenAsTheyAre() throws Exception {
    for (String name : new String[] {"rabbitmq-server", "rabbitmqctl", "epmd"}) {
      assertThat(Files.createFile(folder.resolve(name)).toFile().setExecutable(true)).isTrue();
    }
    assertThat(RabbitInstallation.given(folder.toString()))
        .contains(new RabbitInstallation(folder, folder.resolve("epmd"), null));
  }

  @Test
  void aNamedFolderWithoutRabbitIsRefused() {
    assertThatThrownBy(() -> RabbitInstallation.given(folder.toString()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("INBOX_TEST_RABBITMQ is '" + folder);
  }

  @Test
  void withoutANameThereIsNone() {
    assertThat(RabbitInstallation.given(null)).isEmpty();
    assertThat(RabbitInstallation.given("")).isEmpty();
  }
}
