// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.term;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Rows in aligned columns, two spaces apart. Columns named with a leading {@code >} are flush
 * right.
 */
public final class Table {
  private static final String GAP = "  ";

  private final List<Boolean> right = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();
  private final List<UnaryOperator<String>> paints = new ArrayList<>();
  private final Style style;

  public Table(Style style, String... columns) {
    this.style = style;
    List<String> names = new ArrayList<>();
    for (String column : columns) {
      right.add(column.startsWith(">"));
      names.add(column.startsWith(">") ? column.substring(1) : column);
    }
    rows.add(names);
    paints.add(style::faint);
  }

  public Table row(Object... cells) {
    return row(UnaryOperator.identity(), cells);
  }

  /**
   * @param paint colours the whole line, after it was aligned
   */
  public Table row(UnaryOperator<String> paint, Object... cells) {
    if (cells.length != right.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + right.size() + " columns");
    }
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(printable(String.valueOf(cell)));
    }
    rows.add(row);
    paints.add(paint);
    return this;
  }

  public boolean isEmpty() {
    return rows.size() == 1;
  }

  public List<String> lines() {
    int[] widths = new int[right.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (int r = 0; r < rows.size(); r++) {
      String line = line(rows.get(r), widths);
      lines.add(style.coloured() ? paints.get(r).apply(line) : line);
    }
    return lines;
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String pad = " ".repeat(widths[i] - row.get(i).length());
      line.append(i == 0 ? "" : GAP);
      line.append(right.get(i) ? pad + row.get(i) : row.get(i) + pad);
    }
    return line.toString().stripTrailing();
  }

  /** Control characters of a sandbox's text must not reach the user's terminal. */
  public static String printable(String text) {
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> c == '\n' || c == '\t' || c == '\r' ? ' ' : Character.isISOControl(c) ? '?' : c)
        .forEach(clean::appendCodePoint);
    return clean.toString();
  }
}
