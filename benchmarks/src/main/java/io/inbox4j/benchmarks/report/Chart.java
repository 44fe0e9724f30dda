package io.inbox4j.benchmarks.report;

import io.inbox4j.benchmarks.lab.Measurement;
import java.util.List;
import java.util.Locale;

/** Bars of median rates, each with a line from its slowest to its fastest run. */
final class Chart {

  private static final int WIDTH = 860;
  private static final int LEFT = 300;
  private static final int RIGHT = 90;
  private static final int BAR = 18;
  private static final int LINE = 28;
  private static final int TOP = 40;

  private Chart() {}

  static String of(String title, List<Results.Row> rows) {
    double max = rows.stream().mapToDouble(Chart::fastest).max().orElse(1);
    StringBuilder svg = new StringBuilder();
    int height = TOP + rows.size() * LINE + 10;
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">%n"
            .formatted(WIDTH, height));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    svg.append(text(10, 22, "start", "bold", title));
    for (int i = 0; i < rows.size(); i++) {
      bar(svg, rows.get(i), TOP + i * LINE, max);
    }
    return svg.append("</svg>\n").toString();
  }

  private static void bar(StringBuilder svg, Results.Row row, int y, double max) {
    int middle = y + BAR / 2;
    String colour = row.name().startsWith("Inbox") ? "#1f77b4" : "#9aa5b1";
    svg.append(text(LEFT - 8, middle + 4, "end", "normal", row.name()));
    svg.append(
        rect(LEFT, y, scaled(row.rate(), max), BAR, colour)
            + rect(
                LEFT + scaled(slowest(row), max),
                middle - 1,
                Math.max(2, scaled(fastest(row) - slowest(row), max)),
                2,
                "#222222"));
    svg.append(
        text(
            LEFT + scaled(fastest(row), max) + 6,
            middle + 4,
            "start",
            "normal",
            String.format(Locale.ROOT, "%,.0f/s", row.rate())));
  }

  private static int scaled(double value, double max) {
    return (int) (value / max * (WIDTH - LEFT - RIGHT));
  }

  private static double slowest(Results.Row row) {
    return row.runs().stream().mapToDouble(Measurement::rate).min().orElse(0);
  }

  private static double fastest(Results.Row row) {
    return row.runs().stream().mapToDouble(Measurement::rate).max().orElse(0);
  }

  private static String rect(int x, int y, int width, int height, String colour) {
    return "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n"
        .formatted(x, y, width, height, colour);
  }

  private static String text(int x, int y, String anchor, String weight, String text) {
    return "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" font-weight=\"%s\">%s</text>%n"
        .formatted(x, y, anchor, weight, text.replace("&", "&amp;").replace("<", "&lt;"));
  }
}
