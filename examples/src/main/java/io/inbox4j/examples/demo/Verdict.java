package io.inbox4j.examples.demo;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What was published, compared with what is there in the end. */
record Verdict(List<Check> checks) {

  /**
   * What is there in the end.
   *
   * @param effects how many rows of the business table each order has
   * @param dead the orders that are dead
   * @param quarantined the bodies in quarantine
   */
  record Found(Map<Integer, Integer> effects, List<Integer> dead, List<String> quarantined) {}

  /**
   * One line of the comparison.
   *
   * @param culprits what should not be there, or should be and is not
   */
  record Check(String what, long expected, long found, Collection<?> culprits) {

    boolean holds() {
      return expected == found && culprits.isEmpty();
    }

    @Override
    public String toString() {
      String line =
          String.format(
              Locale.ROOT,
              "%-46s %,10d %,10d   %s",
              what,
              expected,
              found,
              holds() ? "ok" : "WRONG");
      return culprits.isEmpty()
          ? line
          : line + ": " + culprits.stream().limit(5).map(String::valueOf).toList();
    }
  }

  static Verdict of(OrderPlan plan, Found found) {
    List<Integer> effective = plan.effective();
    List<Integer> lost = minus(effective, found.effects().keySet());
    List<Integer> unexpected = minus(found.effects().keySet(), effective);
    List<Integer> doubled =
        found.effects().entrySet().stream()
            .filter(effect -> effect.getValue() > 1)
            .map(Map.Entry::getKey)
            .toList();
    long rows = found.effects().values().stream().mapToLong(Integer::longValue).sum();
    return new Verdict(
        List.of(
            new Check("effects in the business table", effective.size(), rows, List.of()),
            new Check("  lost: orders without an effect", 0, lost.size(), lost),
            new Check("  doubled: orders with several effects", 0, doubled.size(), doubled),
            new Check("  effects that must not be there", 0, unexpected.size(), unexpected),
            same("dead: the orders that always fail", plan.dead(), found.dead()),
            same(
                "quarantined: what is no order, byte for byte",
                plan.quarantined(),
                found.quarantined())));
  }

  private static Check same(String what, List<?> expected, List<?> found) {
    List<Object> culprits = new ArrayList<>(minus(expected, found));
    culprits.addAll(minus(found, expected));
    return new Check(what, expected.size(), found.size(), culprits);
  }

  private static <T> List<T> minus(Collection<? extends T> all, Collection<?> without) {
    Set<?> out = new HashSet<>(without);
    List<T> left = new ArrayList<>(all);
    left.removeIf(out::contains);
    return left;
  }

  boolean holds() {
    return checks.stream().allMatch(Check::holds);
  }

  @Override
  public String toString() {
    StringBuilder table = new StringBuilder();
    table.append(String.format("%-46s %10s %10s%n", "", "expected", "found"));
    checks.forEach(check -> table.append(check).append(System.lineSeparator()));
    return table.toString();
  }
}
