package io.inbox4j.worker.internal.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rows in columns, for people. A cell may have colours, which take no room. */
public final class Table {

  private static final Pattern COLOUR = Pattern.compile("\u001b\\[\\d+m");
  private static final int MAX_WIDTH = 100;

  private final List<List<String>> rows = new ArrayList<>();

  public Table(Terminal terminal, String... titles) {
    rows.add(List.of(titles).stream().map(terminal::bold).toList());
  }

  public void row(Object... cells) {
    rows.add(List.of(cells).stream().map(Table::cell).toList());
  }

  /** One line, not too long: the rest is in {@code inbox show}. */
  private static String cell(Object value) {
    String line = String.valueOf(value).lines().findFirst().orElse("");
    return COLOUR.matcher(line).find() || line.length() <= MAX_WIDTH
        ? line
        : line.substring(0, MAX_WIDTH - 1) + "…";
  }

  @Override
  public String toString() {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], width(row.get(i)));
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - width(row.get(i)) + 2));
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }

  private static int width(String cell) {
    return COLOUR.matcher(cell).replaceAll("").length();
  }
}
