// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.term;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void alignsColumnsAndKeepsControlCharactersOut() {
    Table table =
        new Table(new Style(false), "NAME", ">N", "TEXT")
            .row("a", 5, "x")
            .row("long", 1234, "\u001b[2J\n");
    assertThat(table.lines())
        .containsExactly("NAME     N  TEXT", "a        5  x", "long  1234  ?[2J");
  }

  @Test
  void coloursDoNotMoveColumns() {
    Style style = new Style(true);
    assertThat(new Table(style, "A", ">B").row(style::red, "x", 1).lines())
        .containsExactly("\u001b[2mA  B\u001b[0m", "\u001b[31mx  1\u001b[0m");
  }
}
