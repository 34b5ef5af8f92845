// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.cli.term.Figures;
import io.dsec.cli.term.Style;
import io.dsec.cli.term.Table;
import io.dsec.client.Batch;
import io.dsec.client.TaskResult;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Shows how a batch is getting on: on a terminal one block that is drawn over itself, else a line
 * every few seconds. Not thread-safe.
 */
final class Progress {
  private static final Duration REDRAW = Duration.ofMillis(200);
  private static final Duration LINE = Duration.ofSeconds(5);
  private static final int MAX_ENDINGS = 12;
  private static final String CLEAR = "\r\u001b[J";

  private final PrintStream err;
  private final boolean terminal;
  private final Style style;
  private final int width;
  private final Instant began;
  private Instant shown;
  private int drawn;

  Progress(PrintStream err, boolean terminal, Style style, int width, Instant began) {
    this.err = err;
    this.terminal = terminal;
    this.style = style;
    this.width = width;
    this.began = began;
    this.shown = began;
  }

  /** Draws when it is time to. */
  void show(Batch batch, Tally tally, Instant now) {
    if (Duration.between(shown, now).compareTo(terminal ? REDRAW : LINE) < 0) {
      return;
    }
    shown = now;
    if (terminal) {
      clear();
      List<String> lines = block(batch, tally, now);
      lines.forEach(err::println);
      err.flush();
      drawn = lines.size();
    } else {
      err.println(headline(batch, tally, now) + "  " + endings(tally));
    }
  }

  /** A line above the block that stays. */
  void note(TaskResult result, String ending) {
    clear();
    err.println(
        Table.printable(result.id())
            + "  "
            + (result.ending().succeeded() ? style.green(ending) : ending));
  }

  /** Takes the block away. */
  void clear() {
    if (drawn > 0) {
      err.print("\u001b[%dA".formatted(drawn) + CLEAR);
      err.flush();
      drawn = 0;
    }
  }

  private List<String> block(Batch batch, Tally tally, Instant now) {
    List<String> lines = new ArrayList<>();
    lines.add(bar(tally.size(), batch.total()));
    lines.add(headline(batch, tally, now));
    int rest = 0;
    for (Map.Entry<String, List<TaskResult>> group : tally.byEnding().entrySet()) {
      if (lines.size() < MAX_ENDINGS + 2) {
        lines.add("  %-36s %7d".formatted(group.getKey(), group.getValue().size()));
      } else {
        rest += group.getValue().size();
      }
    }
    if (rest > 0) {
      lines.add("  %-36s %7d".formatted("others", rest));
    }
    return lines.stream().map(this::cut).toList();
  }

  private String bar(int done, int total) {
    int cells = Math.min(40, width - 20);
    int full = total == 0 ? 0 : (int) ((long) cells * done / total);
    return "[" + "#".repeat(full) + "-".repeat(cells - full) + "] " + done + "/" + total;
  }

  private String headline(Batch batch, Tally tally, Instant now) {
    Duration elapsed = Duration.between(began, now);
    double rate = tally.size() / Math.max(1e-3, elapsed.toNanos() / 1e9);
    int left = Math.max(0, batch.total() - tally.size());
    return "%d/%d ended, %d running, %d queued, %s/s, %s left"
        .formatted(
            tally.size(),
            batch.total(),
            count(batch, "running"),
            count(batch, "pending", "started"),
            Figures.decimal(rate, 1),
            tally.size() == 0
                ? "?"
                : Figures.duration(Duration.ofSeconds(Math.round(left / rate))));
  }

  private static int count(Batch batch, String... states) {
    int sum = 0;
    for (String state : states) {
      sum += batch.states().getOrDefault(state, 0);
    }
    return sum;
  }

  private static String endings(Tally tally) {
    Map<String, Integer> kinds = new LinkedHashMap<>();
    tally
        .byEnding()
        .values()
        .forEach(
            group ->
                kinds.merge(
                    group.getFirst().ending().succeeded()
                        ? "exited 0"
                        : group.getFirst().ending().kind(),
                    group.size(),
                    Integer::sum));
    List<String> parts = new ArrayList<>();
    kinds.forEach((kind, count) -> parts.add(count + " " + kind));
    return parts.isEmpty() ? "" : "(" + String.join(", ", parts) + ")";
  }

  private String cut(String line) {
    return line.length() < width ? line : line.substring(0, width - 1);
  }
}
