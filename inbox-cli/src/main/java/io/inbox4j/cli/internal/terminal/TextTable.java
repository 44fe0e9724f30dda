package io.inbox4j.cli.internal.terminal;

import java.util.ArrayList;
import java.util.List;

/** A table with aligned columns, for people. */
public final class TextTable {

  private static final int MAX_WIDTH = 100;

  private final List<List<Styled>> rows = new ArrayList<>();

  public TextTable(Terminal terminal, String... titles) {
    rows.add(List.of(titles).stream().map(terminal::bold).toList());
  }

  public void row(Object... cells) {
    rows.add(List.of(cells).stream().map(TextTable::cell).toList());
  }

  /** One line, truncated: {@code inbox show} has the rest. */
  private static Styled cell(Object value) {
    if (value instanceof Styled styled) {
      return cut(styled);
    }
    return cut(Styled.of(String.valueOf(value).lines().findFirst().orElse("")));
  }

  private static Styled cut(Styled cell) {
    return cell.width() <= MAX_WIDTH
        ? cell
        : new Styled(cell.code(), cell.text().substring(0, MAX_WIDTH - 1) + "…");
  }

  public TerminalText text() {
    int[] widths = new int[rows.get(0).size()];
    for (List<Styled> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).width());
      }
    }
    TerminalText text = new TerminalText();
    for (List<Styled> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).width() + 2));
      }
      text.append(line.toString().stripTrailing());
    }
    return text;
  }
}
