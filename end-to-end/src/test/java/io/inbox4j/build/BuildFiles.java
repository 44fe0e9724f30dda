package io.inbox4j.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The folder that holds both builds, the project's own or a copy to change. */
record BuildFiles(Path root) {

  /** The project that the tests run in, found upwards from the working directory. */
  static BuildFiles ofTheProject() {
    Path start = Path.of("").toAbsolutePath();
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("settings.gradle.kts"))) {
        return new BuildFiles(folder);
      }
    }
    throw new IllegalStateException("no settings.gradle.kts in " + start + " or above");
  }

  BuildFiles copyTo(Path target) throws IOException {
    try (Stream<Path> files = Files.walk(root, 2)) {
      for (Path file : files.filter(BuildFiles::isBuildFile).toList()) {
        Path copy = target.resolve(root.relativize(file));
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    return new BuildFiles(target);
  }

  /** Replaces the first match of the regular expression; without a match nothing is planted. */
  BuildFiles replace(String file, String regex, String replacement) throws IOException {
    Path path = root.resolve(file);
    String before = Files.readString(path);
    String after = before.replaceFirst(regex, replacement);
    if (after.equals(before)) {
      throw new IllegalArgumentException(file + " has nothing like " + regex);
    }
    Files.writeString(path, after);
    return this;
  }

  List<String> differences() {
    BuildModel maven = MavenBuild.read(root);
    return Stream.concat(
            BuildDifferences.between(maven, GradleBuild.read(root)).stream(),
            PublishedPlatforms.read(root).differences(maven).stream())
        .toList();
  }

  private static boolean isBuildFile(Path file) {
    String name = file.getFileName().toString();
    return name.equals("pom.xml")
        || name.endsWith(".gradle.kts")
        || name.endsWith(".toml")
        || file.endsWith("gradle/platforms.txt");
  }
}
