package io.inbox4j.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Gradle's version catalog, read line by line. Names are kept as the build scripts write them, with
 * dots in place of dashes.
 */
record VersionCatalog(Map<String, String> versions, Map<String, Library> libraries) {
  private static final String NAME = "([A-Za-z][\\w.-]*)\\s*=\\s*";
  private static final Pattern SECTION = Pattern.compile("\\[(versions|libraries|plugins)]");
  private static final Pattern VERSION = Pattern.compile(NAME + "\"([^\"]+)\"");
  private static final Pattern LIBRARY =
      Pattern.compile(
          NAME
              + "\\{\\s*module\\s*=\\s*\"([^\":]+:[^\":]+)\"\\s*"
              + "(?:,\\s*version(\\.ref)?\\s*=\\s*\"([^\"]+)\"\\s*)?}");

  VersionCatalog {
    versions = Map.copyOf(versions);
    libraries = Map.copyOf(libraries);
  }

  /** An artifact ({@code group:artifact}) and its version, unless a BOM has it. */
  record Library(String artifact, Optional<String> version) {}

  static VersionCatalog read(Path file) {
    Map<String, String> versions = new HashMap<>();
    Map<String, Library> libraries = new HashMap<>();
    List<String> lines = lines(file);
    String section = "";
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      Matcher heading = SECTION.matcher(line);
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (heading.matches()) {
        section = heading.group(1);
      } else if (section.equals("versions")) {
        Matcher version = matching(VERSION, file, i, line);
        versions.put(dotted(version.group(1)), version.group(2));
      } else if (section.equals("libraries")) {
        Matcher library = matching(LIBRARY, file, i, line);
        Optional<String> version = Optional.ofNullable(library.group(4));
        if (library.group(3) != null) {
          version = Optional.ofNullable(versions.get(dotted(library.group(4))));
          if (version.isEmpty()) {
            throw new UnreadableBuildFileException(file, i + 1, line, "no such version");
          }
        }
        libraries.put(dotted(library.group(1)), new Library(library.group(2), version));
      } else if (!section.equals("plugins")) {
        throw new UnreadableBuildFileException(file, i + 1, line, "not understood");
      }
    }
    return new VersionCatalog(versions, libraries);
  }

  private static Matcher matching(Pattern form, Path file, int index, String line) {
    Matcher matcher = form.matcher(line);
    if (!matcher.matches()) {
      throw new UnreadableBuildFileException(file, index + 1, line, "not understood");
    }
    return matcher;
  }

  private static String dotted(String name) {
    return name.replace('-', '.').replace('_', '.');
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
