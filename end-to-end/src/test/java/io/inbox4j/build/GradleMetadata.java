package io.inbox4j.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Metadata that an artifact was published with for Gradle, in Maven's local repository. */
final class GradleMetadata {

  /** By this Gradle finds out that there is metadata to get, instead of the POM's. */
  private static final String MARK = "published-with-gradle-metadata";

  private GradleMetadata() {}

  /** Whether there is such metadata, by the POM beside the artifact's file. */
  static boolean isPublishedFor(Path file, String artifact, String version) throws IOException {
    Path pom = file.resolveSibling("%s-%s.pom".formatted(artifact, version));
    return Files.exists(pom) && Files.readString(pom).contains(MARK);
  }

  /** The platforms that it imports; nothing if Maven was not told to get it. */
  static Optional<Set<String>> platforms(Path file, String artifact, String version)
      throws IOException {
    Path metadata = file.resolveSibling("%s-%s.module".formatted(artifact, version));
    return Files.exists(metadata)
        ? Optional.of(platforms(JsonMapper.shared().readTree(Files.readString(metadata))))
        : Optional.empty();
  }

  private static Set<String> platforms(JsonNode metadata) {
    Set<String> platforms = new TreeSet<>();
    for (JsonNode variant : metadata.path("variants")) {
      for (JsonNode dependency : variant.path("dependencies")) {
        String category = dependency.path("attributes").path("org.gradle.category").asString("");
        if (category.endsWith("platform")) {
          JsonNode version = dependency.path("version");
          platforms.add(
              "%s:%s:%s"
                  .formatted(
                      dependency.path("group").asString(),
                      dependency.path("module").asString(),
                      version.path("strictly").asString(version.path("requires").asString(""))));
        }
      }
    }
    return platforms;
  }
}
