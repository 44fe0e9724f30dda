package io.inbox4j.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** What the inbox is to reach, and what it does. */
final class Targets {

  private final Results results;

  Targets(Results results) {
    this.results = results;
  }

  /**
   * A figure and its bound.
   *
   * @param least whether it must be at least the bound, and not at most
   */
  private record Target(String measure, double bound, boolean least, OptionalDouble value) {

    String line() {
      String is = value.isPresent() ? String.format(Locale.ROOT, "%.2f", value.getAsDouble()) : "–";
      String reached =
          value.isEmpty()
              ? "not measured"
              : (least ? value.getAsDouble() >= bound : value.getAsDouble() <= bound)
                  ? "yes"
                  : "**no**";
      return "| %s | %s %s | %s | %s |%n"
          .formatted(measure, least ? "≥" : "≤", plain(bound), is, reached);
    }

    private static String plain(double bound) {
      return bound == Math.rint(bound)
          ? Long.toString(Math.round(bound))
          : String.format(Locale.ROOT, "%.2f", bound);
    }
  }

  String table() {
    StringBuilder text = new StringBuilder();
    text.append("| measure | wanted | is | reached |\n|---|---|---|---|\n");
    all().forEach(target -> text.append(target.line()));
    return text.toString();
  }

  private List<Target> all() {
    OptionalDouble a = results.rate("A", "Inbox");
    OptionalDouble b = results.rate("B", "Inbox");
    return List.of(
        atLeast(
            "ingest / amqp-client alone with no database",
            0.50,
            ratio(
                rate("ingest", "Inbox: stored and acknowledged"),
                rate("ingest", "amqp-client alone, no database"))),
        atLeast(
            "ingest / amqp-client alone, prefetch 500, an ack every 100",
            0.80,
            ratio(
                rate("ingest", "Inbox: stored and acknowledged"),
                rate("ingest", "amqp-client alone, prefetch 500, an ack every 100"))),
        atLeast("A drain / fastest peer of any contract", 3.5, ratio(a, fastestPeer("A", ""))),
        atLeast(
            "B drain / fastest peer whose effect commits with the completion",
            5,
            ratio(b, fastestPeer("B", "effect commits with completion"))),
        atLeast("B drain / hand-written SQL", 0.80, ratio(b, rate("B", "hand-written SQL"))),
        atLeast(
            "B drain / single table", 1.05, ratio(b, rate("B", "single table, batch of 1,000"))),
        atLeast(
            "B drain with handed-over writes / hand-written SQL",
            1.8,
            ratio(rate("B", "Inbox, handed-over writes"), rate("B", "hand-written SQL"))),
        atLeast(
            "C end to end / a commit and an ack each",
            8,
            ratio(
                rate("C", "Inbox"),
                rate("C", "single table, batch of 1,000, a commit and an ack each"))),
        atLeast(
            "C inline / store, then process",
            0.80,
            ratio(rate("C", "Inbox, inline"), rate("C", "Inbox"))),
        atMost("D p50 at half load, ms", 5, results.figure("D", "Inbox", "p50 ms")),
        atMost("D p99 at half load, ms", 25, results.figure("D", "Inbox", "p99 ms")),
        atMost(
            "D p50 at this load with a handler of batches, ms",
            5,
            results.figure("D", "Inbox, handler of batches, the same load", "p50 ms")),
        atMost(
            "D p99 at this load with a handler of batches, ms",
            25,
            results.figure("D", "Inbox, handler of batches, the same load", "p99 ms")),
        atLeast(
            "E with failures and duplicates / clean",
            0.60,
            ratio(rate("E", "1 % fail once, 1 % come twice"), rate("E", "clean"))),
        atLeast(
            "F after 3 minutes / before",
            0.80,
            ratio(rate("F", "after 3 min"), rate("F", "before"))),
        atLeast(
            "G drain at 10 million kept rows / at 10 thousand",
            0.90,
            ratio(rate("G", "drain, 10,000,000 kept"), rate("G", "drain, 10,000 kept"))),
        atMost(
            "inbox status at 10 million kept rows, ms",
            50,
            results.figure("G", "drain, 10,000,000 kept", "inbox status ms")),
        atMost(
            "metrics of two endpoints at 10 million kept rows, ms",
            50,
            results.figure("G", "drain, 10,000,000 kept", "metrics of two endpoints ms")),
        atLeast(
            "H 64 workers / best worker count",
            0.70,
            ratio(
                rate("H", "64 workers"),
                best(rate("H", "4 workers"), rate("H", "16 workers"), rate("H", "64 workers")))),
        atLeast(
            "H 64 workers / 4 workers",
            0.95,
            ratio(rate("H", "64 workers"), rate("H", "4 workers"))),
        atLeast(
            "H 4 processes / 1 process, together",
            0.80,
            ratio(rate("H", "4 processes"), rate("H", "1 process"))),
        atMost(
            "H database CPU of a message, 8 processes / 1 process",
            1.3,
            ratio(
                results.databaseMicros("H", "8 processes"),
                results.databaseMicros("H", "1 process"))),
        atLeast("I one key / unordered", 0.50, ratio(rate("I", "one key"), rate("I", "unordered"))),
        atLeast(
            "I 1,000 uniform keys / unordered",
            0.60,
            ratio(rate("I", "1,000 keys, uniform"), rate("I", "unordered"))),
        atMost(
            "heap after a drain of 1 million with -Xmx256m, MB",
            128,
            results.figure("heap", "1 process", "heap MB")),
        atLeast(
            "retention: drain with the retention job at work / without",
            0.90,
            ratio(
                rate("retention", "retention job at work"),
                rate("retention", "no retention job"))));
  }

  private OptionalDouble rate(String key, String name) {
    return results.rate(key, name);
  }

  private static Target atLeast(String measure, double bound, OptionalDouble value) {
    return new Target(measure, bound, true, value);
  }

  private static Target atMost(String measure, double bound, OptionalDouble value) {
    return new Target(measure, bound, false, value);
  }

  private OptionalDouble fastestPeer(String key, String contract) {
    return results.rows(key).stream()
        .filter(row -> row.name().matches(".* [0-9]+[.][0-9.]+")) // those have a version
        .filter(row -> row.contract().contains(contract))
        .mapToDouble(Results.Row::rate)
        .max();
  }

  private static OptionalDouble best(OptionalDouble... values) {
    return DoubleStream.of(
            java.util.Arrays.stream(values).mapToDouble(it -> it.orElse(0)).toArray())
        .max();
  }

  private static OptionalDouble ratio(OptionalDouble value, OptionalDouble of) {
    return value.isEmpty() || of.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(value.getAsDouble() / of.getAsDouble());
  }
}
