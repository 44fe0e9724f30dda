package io.inbox4j.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A block of code in the documentation. */
record Snippet(String file, int line, String language, String code) {

  private static final Pattern BLOCK =
      Pattern.compile("^```(\\w+)\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);

  /** All blocks of one language in README.md, SECURITY.md and docs. */
  static List<Snippet> all(String language) {
    try (Stream<Path> files = Files.walk(root().resolve("docs"))) {
      return Stream.concat(
              Stream.of(root().resolve("README.md"), root().resolve("SECURITY.md")), files)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .flatMap(file -> in(file).stream())
          .filter(snippet -> snippet.language.equals(language))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Snippet> in(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<Snippet> snippets = new ArrayList<>();
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      int line = (int) text.substring(0, block.start()).lines().count() + 1;
      snippets.add(
          new Snippet(file.getFileName().toString(), line, block.group(1), block.group(2)));
    }
    return snippets;
  }

  static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("settings.gradle.kts"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  @Override
  public String toString() {
    return file + ":" + line;
  }
}
