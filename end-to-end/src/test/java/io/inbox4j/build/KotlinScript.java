package io.inbox4j.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Gradle script in Kotlin without its comments, read line by line. */
record KotlinScript(Path file, List<String> lines) {
  private static final Pattern COMMENT_OR_STRING =
      Pattern.compile("\"(?:\\\\.|[^\"\\\\\n])*\"|//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);
  private static final Pattern DEPENDENCIES = Pattern.compile("\\bdependencies\\b");
  private static final Pattern ELSEWHERE =
      Pattern.compile("apply\\(from\\b.*|testing\\s*\\{.*|configurations\\b.*");
  private static final Pattern CALL = Pattern.compile("\"?(\\w+)\"?\\((.+)\\)\\s*(\\{.*)?");
  private static final Pattern EXCLUSION = Pattern.compile("exclude\\([^()]*\\)");
  private static final Pattern EXCLUSION_BLOCK = Pattern.compile("\\{\\s*exclude\\([^()]*\\)\\s*}");

  KotlinScript {
    lines = List.copyOf(lines);
  }

  /** A line {@code configuration(argument)} of a {@code dependencies} block. */
  record Call(int line, String configuration, String argument) {}

  static KotlinScript read(Path file) {
    try {
      String code =
          COMMENT_OR_STRING.matcher(Files.readString(file)).replaceAll(KotlinScript::uncommented);
      return new KotlinScript(file, code.lines().map(String::strip).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String uncommented(MatchResult match) {
    String text = match.group();
    String kept = text.startsWith("\"") ? text : "\n".repeat((int) text.lines().count() - 1);
    return Matcher.quoteReplacement(kept);
  }

  /** The first line that has this form, if there is one. */
  Optional<MatchResult> find(Pattern form) {
    return lines.stream()
        .map(form::matcher)
        .filter(Matcher::matches)
        .map(Matcher::toMatchResult)
        .findFirst();
  }

  /** The text assigned to a property, as in {@code group = "io.inbox4j"}. */
  Optional<String> assigned(String property) {
    return find(Pattern.compile(Pattern.quote(property) + "\\s*=\\s*\"([^\"]*)\""))
        .map(match -> match.group(1));
  }

  /** Whether it is a platform, which has versions and no code. */
  boolean isPlatform() {
    return lines.contains("`java-platform`");
  }

  /** Every line of the {@code dependencies} blocks; a line of another form is refused. */
  List<Call> dependencies() {
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.equals("dependencies {")) {
        i = readBlock(i + 1, calls);
      } else if (DEPENDENCIES.matcher(line).find() || ELSEWHERE.matcher(line).matches()) {
        throw notUnderstood(i + 1);
      }
    }
    return calls;
  }

  /** Reads from the first line after the opening brace and returns where the closing one is. */
  private int readBlock(int start, List<Call> calls) {
    for (int i = start; i < lines.size(); i++) {
      String line = lines.get(i);
      Matcher call = CALL.matcher(line);
      if (line.equals("}")) {
        return i;
      } else if (line.equals("constraints {") && isPlatform()) {
        i = readBlock(i + 1, calls);
      } else if (call.matches()) {
        calls.add(new Call(i + 1, call.group(1), call.group(2)));
        i = skipExclusions(i, Optional.ofNullable(call.group(3)).orElse(""));
      } else if (!line.isEmpty()) {
        throw notUnderstood(i + 1);
      }
    }
    throw new UnreadableBuildFileException(file, "a dependencies block has no end");
  }

  private int skipExclusions(int opening, String block) {
    if (block.isEmpty() || EXCLUSION_BLOCK.matcher(block).matches()) {
      return opening;
    }
    int i = opening + 1;
    while (block.equals("{") && i < lines.size() && EXCLUSION.matcher(lines.get(i)).matches()) {
      i++;
    }
    if (!block.equals("{") || i == lines.size() || !lines.get(i).equals("}")) {
      throw notUnderstood(Math.min(i, lines.size() - 1) + 1);
    }
    return i;
  }

  /** To throw for a line, counted from 1, that the check cannot read. */
  UnreadableBuildFileException notUnderstood(int line) {
    return new UnreadableBuildFileException(file, line, lines.get(line - 1), "not understood");
  }
}
