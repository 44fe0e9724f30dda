package io.inbox4j.reliability.history;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What should not have happened; each is a line for a person.
 *
 * @param lost confirmed by the broker, and nowhere
 * @param doubled handled more than once
 * @param unexpected handled or kept, and never published, or with another body
 * @param handledAndKept handled, and dead or quarantined or pending as well
 * @param outOfOrder handled after a later message of its key
 * @param deadLettered put aside by the broker, and not handled
 * @param stuck neither handled nor given up after everything has come to rest
 */
public record Verdict(
    List<String> lost,
    List<String> doubled,
    List<String> unexpected,
    List<String> handledAndKept,
    List<String> outOfOrder,
    List<String> deadLettered,
    List<String> stuck) {

  private static final int SHOWN = 20;

  public boolean isClean() {
    return findings().values().stream().allMatch(List::isEmpty);
  }

  /** The findings by what they are called. */
  public Map<String, List<String>> findings() {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("lost", lost);
    all.put("doubled", doubled);
    all.put("unexpected", unexpected);
    all.put("handled and kept", handledAndKept);
    all.put("out of order", outOfOrder);
    all.put("dead-lettered", deadLettered);
    all.put("stuck", stuck);
    return all;
  }

  /** A table, with the first of each kind. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    findings()
        .forEach(
            (what, lines) -> {
              text.append("  %-17s %,8d%n".formatted(what, lines.size()));
              lines.stream().limit(SHOWN).forEach(line -> text.append("      " + line + "\n"));
            });
    return text.toString();
  }
}
