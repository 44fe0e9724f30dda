package io.inbox4j.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of bad input in the documentation is what the tests send. */
class BadInputTableTest {

  private static final Path PAGE = Path.of("..", "docs", "bad-input.md");

  @Test
  void thereAreManyKinds() {
    assertThat(BadInput.all()).hasSizeGreaterThanOrEqualTo(60);
    assertThat(BadInput.all().map(BadInput::name)).doesNotHaveDuplicates();
  }

  @Test
  void theDocumentationListsEveryInputWithItsOutcomeAndReason() throws Exception {
    List<String> documented =
        Files.readString(PAGE)
            .lines()
            .dropWhile(line -> !line.startsWith("| input |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    List<String> sent = BadInput.all().map(BadInput::row).toList();
    assertThat(documented)
        .as("the table of docs/bad-input.md should be%n%s", String.join("\n", sent))
        .isEqualTo(sent);
  }
}
