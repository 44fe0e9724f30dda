package io.inbox4j.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Gradle imports by metadata that Maven does not read. */
class PublishedPlatformsTest {

  private static final Pattern ARTIFACT =
      Pattern.compile(
          "\\s+([\\w.-]+):([\\w.-]+):jar:(?:[\\w.-]+:)?([\\w.-]+):[a-z]+:(\\S+\\.jar).*");

  private final Path root = BuildFiles.ofTheProject().root();
  private final PublishedPlatforms listed = PublishedPlatforms.read(root);

  @Test
  void everyDependencyWithMetadataOfGradleIsListedWithThePlatformsThatItImports()
      throws IOException {
    TreeSet<String> lines = new TreeSet<>();
    for (String module : MavenBuild.read(root).modules().keySet()) {
      Path list = root.resolve(module).resolve("target").resolve("all-dependencies.txt");
      assumeTrue(Files.exists(list), "Maven has written " + list);
      for (String line : Files.readAllLines(list)) {
        Matcher artifact = ARTIFACT.matcher(line);
        if (artifact.matches()) {
          line(artifact).ifPresent(lines::add);
        }
      }
    }
    assertThat(Files.readAllLines(PublishedPlatforms.fileIn(root)))
        .as("gradle/platforms.txt should be, below its comment,%n%s", String.join("\n", lines))
        .filteredOn(line -> !line.startsWith("#"))
        .containsExactlyElementsOf(lines);
  }

  private Optional<String> line(Matcher artifact) throws IOException {
    String coordinates = String.join(":", artifact.group(1), artifact.group(2), artifact.group(3));
    Path file = Path.of(artifact.group(4));
    if (!GradleMetadata.isPublishedFor(file, artifact.group(2), artifact.group(3))) {
      return Optional.empty();
    }
    Set<String> platforms =
        GradleMetadata.platforms(file, artifact.group(2), artifact.group(3))
            .or(() -> Optional.ofNullable(listed.imported().get(coordinates)))
            .orElse(
                Set.of(
                    "what? mvn dependency:get -Dtransitive=false -Dartifact=%s:module shows it"
                        .formatted(coordinates)));
    return Optional.of(
        platforms.isEmpty()
            ? coordinates
            : coordinates + " imports " + String.join(", ", new TreeSet<>(platforms)));
  }

  @Test
  void noPlatformChangesAVersion() {
    assertThat(listed.differences(MavenBuild.read(root))).isEmpty();
  }

  @Test
  void aPlatformThatRaisesWhatMavenTakesIsADifference(@TempDir Path folder) throws IOException {
    BuildFiles files = BuildFiles.ofTheProject().copyTo(folder);
    files.replace("settings.gradle.kts", "it\\.name == \"jackson-bom\"", "it.name == \"another\"");
    assertCborIsRaised(files);
  }

  @Test
  void aRuleThatIsNotAppliedTakesNothingOut(@TempDir Path folder) throws IOException {
    BuildFiles files = BuildFiles.ofTheProject().copyTo(folder);
    files.replace("settings.gradle.kts", "all\\(WithoutJacksonPlatform::class\\.java\\)", "");
    assertCborIsRaised(files);
  }

  private static void assertCborIsRaised(BuildFiles files) {
    assertThat(files.differences())
        .isNotEmpty()
        .allMatch(it -> it.contains("platform tools.jackson:jackson-bom:"))
        .anyMatch(
            it ->
                it.startsWith("tools.jackson.dataformat:jackson-dataformat-cbor is ")
                    && it.contains("tools.jackson.core:jackson-databind:"));
  }

  @Test
  void aPlatformWithOtherVersionsThanTheDeclaredIsADifference(@TempDir Path folder)
      throws IOException {
    BuildFiles files = BuildFiles.ofTheProject().copyTo(folder);
    files.replace(
        "gradle/platforms.txt",
        "org\\.jobrunr:jobrunr-bom:[\\w.]+",
        "org.jobrunr:jobrunr-bom:99.0");
    assertThat(files.differences())
        .singleElement()
        .asString()
        .startsWith("org.jobrunr:jobrunr is ")
        .endsWith("platform org.jobrunr:jobrunr-bom:99.0, which has its own version");
  }

  @Test
  void metadataOfGradleIsReadWithItsPlatforms(@TempDir Path folder) throws IOException {
    Path jar = folder.resolve("a-1.jar");
    Files.writeString(
        folder.resolve("a-1.pom"), "<!-- do_not_remove: published-with-gradle-metadata -->");
    Files.writeString(
        folder.resolve("a-1.module"),
        """
        {"variants": [{"name": "apiElements", "dependencies": [
          {"group": "g", "module": "bom", "version": {"requires": "2"},
           "attributes": {"org.gradle.category": "platform"}},
          {"group": "g", "module": "enforced", "version": {"strictly": "3"},
           "attributes": {"org.gradle.category": "enforced-platform"}},
          {"group": "g", "module": "library", "version": {"requires": "4"}}]}]}
        """);
    assertThat(GradleMetadata.isPublishedFor(jar, "a", "1")).isTrue();
    assertThat(GradleMetadata.platforms(jar, "a", "1"))
        .isEqualTo(Optional.of(Set.of("g:bom:2", "g:enforced:3")));
    assertThat(GradleMetadata.isPublishedFor(jar, "b", "1")).isFalse();
    assertThat(GradleMetadata.platforms(jar, "b", "1")).isEmpty();
  }

  @Test
  void aLineThatIsNotUnderstoodIsRefused(@TempDir Path folder) throws IOException {
    BuildFiles files = BuildFiles.ofTheProject().copyTo(folder);
    files.replace("gradle/platforms.txt", "jobrunr:([\\w.]+) imports", "jobrunr:$1 may import");
    assertThatThrownBy(files::differences)
        .isInstanceOf(UnreadableBuildFileException.class)
        .hasMessageContaining("may import");
  }
}
