package io.inbox4j.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What users of the published modules get is written down, so that a change of it is noticed. */
class DependenciesTest {

  static final List<String> PUBLISHED =
      List.of(
          "inbox-api",
          "inbox-core",
          "inbox-contract",
          "inbox-jdbi",
          "inbox-rabbitmq",
          "inbox-micrometer",
          "inbox-opentelemetry",
          "inbox-cli");
  private static final Pattern ARTIFACT =
      Pattern.compile("([\\w.-]+):([\\w.-]+):jar:([\\w.-]+):(?:compile|runtime)");

  private final Path root = BuildFiles.ofTheProject().root();

  @Test
  void everyDependencyOfThePublishedModulesIsListedWithItsVersion() throws IOException {
    TreeSet<String> resolved = new TreeSet<>();
    for (String module : PUBLISHED) {
      Path list = root.resolve(module).resolve("target").resolve("runtime-dependencies.txt");
      assumeTrue(Files.exists(list), "Maven has written " + list);
      Matcher artifact = ARTIFACT.matcher(Files.readString(list));
      while (artifact.find()) {
        if (!artifact.group(1).equals("io.inbox4j")) {
          resolved.add(artifact.group(1) + ":" + artifact.group(2) + ":" + artifact.group(3));
        }
      }
    }
    assertThat(Files.readAllLines(root.resolve("dependencies.txt")))
        .as("dependencies.txt should be%n%s", String.join("\n", resolved))
        .containsExactlyElementsOf(resolved);
  }

  @Test
  void theBomHasEveryPublishedModule() {
    assertThat(MavenBuild.read(root).modules().get("inbox-bom").dependencies())
        .extracting(BuildModel.Dependency::artifact)
        .containsExactlyInAnyOrderElementsOf(
            PUBLISHED.stream().map(module -> "io.inbox4j:" + module).toList());
  }

  @Test
  void noVersionIsASnapshotOrARange() throws IOException {
    assertThat(Files.readAllLines(root.resolve("dependencies.txt")))
        .isNotEmpty()
        .noneMatch(line -> line.contains("SNAPSHOT") || line.matches(".*[\\[(+].*"));
  }
}
