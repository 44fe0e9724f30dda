package io.inbox4j.reliability.chaos;

import java.util.List;

/** The faults as rows of a table in Markdown, for people to read and for a test to compare. */
final class FaultTable {

  private static final String HEAD =
      """
      | fault | expected | how it is injected | struck | hit |
      |---|---|---|---|---|
      """;

  private FaultTable() {}

  /** What a fault is, without what it has done. */
  static String row(Fault fault) {
    return "| %s | %s | %s |".formatted(fault.what(), fault.expected(), fault.how());
  }

  /** Every fault, how often it has struck, and what it has hit in all. */
  static String of(List<Chaos.Strike> strikes) {
    StringBuilder table = new StringBuilder(HEAD);
    for (Fault fault : Fault.all()) {
      List<Chaos.Strike> its =
          strikes.stream().filter(it -> it.fault().what().equals(fault.what())).toList();
      long hit = its.stream().mapToLong(it -> it.hit().count()).sum();
      String of = its.isEmpty() ? "" : its.get(0).hit().of();
      table.append("%s %d | %,d %s |%n".formatted(row(fault), its.size(), hit, of));
    }
    return table.toString();
  }
}
