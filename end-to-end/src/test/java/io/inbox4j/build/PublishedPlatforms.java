package io.inbox4j.build;

import io.inbox4j.build.BuildModel.Dependency;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The platforms that Gradle imports with dependencies that were published with metadata of its own,
 * as {@code gradle/platforms.txt} lists them. Maven does not read such metadata, so what a platform
 * raises is a difference between the builds that none of their files shows.
 *
 * @param imported artifacts with their version, each with the platforms that it imports
 * @param removed the platforms, without versions, that the Gradle build takes out
 */
record PublishedPlatforms(Map<String, Set<String>> imported, Set<String> removed) {

  private static final String COORDINATES = "[\\w.-]+:[\\w.-]+:[\\w.-]+";
  private static final Pattern LINE =
      Pattern.compile("(%1$s)(?: imports (%1$s(?:, %1$s)*))?".formatted(COORDINATES));
  private static final Pattern RULE =
      Pattern.compile("removeAll \\{ it\\.group == \"([^\"]+)\" && it\\.name == \"([^\"]+)\" }");
  private static final Pattern APPLIED = Pattern.compile("all\\((\\w+)::class\\.java\\)");
  private static final Pattern DECLARED =
      Pattern.compile("abstract class (\\w+) : ComponentMetadataRule \\{");

  static Path fileIn(Path root) {
    return root.resolve("gradle").resolve("platforms.txt");
  }

  static PublishedPlatforms read(Path root) {
    Path file = fileIn(root);
    Map<String, Set<String>> imported = new TreeMap<>();
    List<String> lines = lines(file);
    for (int i = 0; i < lines.size(); i++) {
      Matcher line = LINE.matcher(lines.get(i));
      if (line.matches()) {
        imported.put(line.group(1), line.group(2) == null ? Set.of() : split(line.group(2)));
      } else if (!lines.get(i).startsWith("#")) {
        throw new UnreadableBuildFileException(file, i + 1, lines.get(i), "not understood");
      }
    }
    return new PublishedPlatforms(imported, removed(root.resolve("settings.gradle.kts")));
  }

  /** What the rules that are applied in the settings take out. */
  private static Set<String> removed(Path file) {
    KotlinScript settings = KotlinScript.read(file);
    Set<String> applied =
        settings.lines().stream()
            .flatMap(line -> APPLIED.matcher(line).results())
            .map(match -> match.group(1))
            .collect(Collectors.toSet());
    Set<String> removed = new TreeSet<>();
    String rule = "";
    for (String line : settings.lines()) {
      Matcher declared = DECLARED.matcher(line);
      Matcher removal = RULE.matcher(line);
      if (declared.matches()) {
        rule = declared.group(1);
      } else if (removal.matches() && applied.contains(rule)) {
        removed.add(removal.group(1) + ":" + removal.group(2));
      }
    }
    return removed;
  }

  /** What a platform gives another version than Maven takes, one readable sentence each. */
  List<String> differences(BuildModel maven) {
    Map<String, String> versions = new TreeMap<>();
    Stream.concat(
            imported.keySet().stream(),
            maven.modules().values().stream()
                .flatMap(module -> module.dependencies().stream())
                .filter(it -> it.version().matches("[\\w.-]+"))
                .map(PublishedPlatforms::coordinates))
        .forEach(it -> versions.put(artifact(it), version(it)));
    List<String> found = new ArrayList<>();
    imported.forEach(
        (by, platforms) ->
            platforms.stream()
                .filter(platform -> !removed.contains(artifact(platform)))
                .forEach(platform -> found.addAll(raised(versions, platform, by))));
    return found;
  }

  private static List<String> raised(Map<String, String> versions, String platform, String by) {
    return versions.entrySet().stream()
        .filter(it -> manages(platform, it.getKey()))
        .filter(it -> !it.getValue().equals(version(platform)))
        .map(
            it ->
                "%s is %s in Maven; in Gradle %s imports the platform %s, which has its own version"
                    .formatted(it.getKey(), it.getValue(), by, platform))
        .toList();
  }

  private static boolean manages(String platform, String artifact) {
    return !BuildModel.managedBy(List.of(artifact(platform)), artifact)
        .equals(BuildModel.UNMANAGED);
  }

  private static String coordinates(Dependency it) {
    return it.artifact() + ":" + it.version();
  }

  private static String artifact(String coordinates) {
    return coordinates.substring(0, coordinates.lastIndexOf(':'));
  }

  private static String version(String coordinates) {
    return coordinates.substring(coordinates.lastIndexOf(':') + 1);
  }

  private static Set<String> split(String platforms) {
    return Set.copyOf(Pattern.compile(", ").splitAsStream(platforms).toList());
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
