package io.inbox4j.reliability.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of faults in the documentation is what strikes. */
class FaultTableTest {

  private static final Path PAGE = Path.of("..", "docs", "reliability.md");

  @Test
  void theDocumentationListsEveryFault() throws Exception {
    List<String> documented =
        Files.readString(PAGE)
            .lines()
            .dropWhile(line -> !line.startsWith("| fault |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    List<String> faults = Fault.all().stream().map(FaultTable::row).toList();
    assertThat(documented).hasSameSizeAs(faults);
    for (int i = 0; i < faults.size(); i++) {
      assertThat(documented.get(i)).startsWith(faults.get(i));
    }
  }
}
