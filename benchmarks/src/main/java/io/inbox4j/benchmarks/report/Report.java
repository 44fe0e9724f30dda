package io.inbox4j.benchmarks.report;

import io.inbox4j.benchmarks.lab.Measurement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Writes tables and charts into a document, between two marks; what people wrote stays. */
public final class Report {

  private static final String BEGIN = "<!-- measured: written by bin/bench -->";
  private static final String END = "<!-- end of what was measured -->";

  private Report() {}

  public static void write(Results results, Path document, Path images) throws Exception {
    StringBuilder text = new StringBuilder();
    text.append("\n").append(new Targets(results).table());
    Files.createDirectories(images);
    for (var entry : results.sections().entrySet()) {
      String image = "performance-" + entry.getKey().toLowerCase(Locale.ROOT) + ".svg";
      Results.Section section = entry.getValue();
      Files.writeString(images.resolve(image), Chart.of(section.title(), section.rows()));
      text.append("\n### %s\n\n".formatted(heading(entry.getKey(), section.title())));
      text.append("![%s](images/%s)\n\n".formatted(section.title(), image));
      text.append(table(section.rows()));
      text.append("\n%s\n".formatted(section.measured()));
    }
    String before = Files.readString(document);
    int begin = before.indexOf(BEGIN) + BEGIN.length();
    int end = before.indexOf(END);
    if (begin < BEGIN.length() || end < begin) {
      throw new IllegalStateException(document + " has not the lines " + BEGIN + " and " + END);
    }
    Files.writeString(
        document, before.substring(0, begin) + "\n" + text + "\n" + before.substring(end));
  }

  /** The same for a terminal. */
  public static String text(Results results, List<String> keys) {
    StringBuilder text = new StringBuilder();
    for (String key : keys) {
      Results.Section section = results.sections().get(key);
      if (section != null) {
        text.append("%n%s%n%s".formatted(heading(key, section.title()), table(section.rows())));
      }
    }
    return text.append("\n").append(new Targets(results).table()).toString();
  }

  private static String heading(String key, String title) {
    return key.length() == 1 ? key + ". " + title : title;
  }

  static String table(List<Results.Row> rows) {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        | | msg/s | min – max | first is | WAL bytes | transactions | DB CPU µs | CPU µs | allocated bytes | contract |
        |---|---:|---:|---:|---:|---:|---:|---:|---:|---|
        """);
    double first = rows.isEmpty() ? 1 : rows.get(0).rate();
    for (Results.Row row : rows) {
      List<Double> rates = row.runs().stream().map(Measurement::rate).sorted().toList();
      text.append(
          "| %s | %s | %s – %s | %s × | %s | %s | %s | %s | %s | %s |%n"
              .formatted(
                  row.name(),
                  number("%,.0f", row.rate()),
                  number("%,.0f", rates.get(0)),
                  number("%,.0f", rates.get(rates.size() - 1)),
                  number("%.2f", first / row.rate()),
                  median(row, "%,.0f", Measurement::walBytes),
                  median(row, "%.3f", Measurement::transactions),
                  median(row, "%,.0f", Measurement::databaseMicros),
                  median(row, "%,.0f", Measurement::clientMicros),
                  median(row, "%,.0f", Measurement::allocated),
                  row.contract()));
    }
    for (Results.Row row : rows) {
      row.figures()
          .forEach(
              (what, values) ->
                  text.append(
                      "%n%s: %s %s (%s)%n"
                          .formatted(
                              row.name(),
                              what,
                              number("%,.1f", Results.median(values)),
                              String.join(
                                  ", ", values.stream().map(it -> number("%,.1f", it)).toList()))));
    }
    return text.toString();
  }

  private static String median(
      Results.Row row, String format, ToDoubleFunction<Measurement> figure) {
    return number(format, Results.median(row.runs().stream().map(figure::applyAsDouble).toList()));
  }

  private static String number(String format, double value) {
    return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, format, value);
  }
}
