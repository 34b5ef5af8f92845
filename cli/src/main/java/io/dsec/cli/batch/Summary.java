// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.cli.EndingText;
import io.dsec.cli.term.Figures;
import io.dsec.cli.term.Style;
import io.dsec.cli.term.Table;
import io.dsec.client.TaskResult;
import io.dsec.model.Ending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The tables at the end of a batch. */
final class Summary {
  private static final int SMALL = 20;
  private static final int EXAMPLES = 2;
  private static final int MAX_FAULTS = 20;
  private static final int MESSAGE = 60;

  private final Tally tally;
  private final Style style;

  Summary(Tally tally, Style style) {
    this.tally = tally;
    this.style = style;
  }

  List<String> lines(String name, int total, Duration took) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        style.bold(Table.printable(name))
            + ": %d of %d tasks ended in %s (%s per second)"
                .formatted(
                    tally.size(),
                    total,
                    Figures.duration(took),
                    Figures.decimal(tally.size() / Math.max(1e-3, took.toNanos() / 1e9), 1)));
    section(lines, endings());
    section(lines, limits());
    section(lines, times());
    section(lines, tasks());
    lines.add("");
    faults(lines);
    return lines;
  }

  private static void section(List<String> lines, Table table) {
    if (!table.isEmpty()) {
      lines.add("");
      lines.addAll(table.lines());
    }
  }

  private Table endings() {
    Table table = new Table(style, "ENDING", ">TASKS", ">SHARE");
    tally
        .byEnding()
        .forEach(
            (ending, group) ->
                table.row(
                    paint(group.getFirst().ending()),
                    ending,
                    group.size(),
                    Figures.decimal(100.0 * group.size() / tally.size(), 1) + "%"));
    return table;
  }

  private Table limits() {
    Table table = new Table(style, "LIMIT HIT", ">TASKS");
    tally.byLimit().forEach(table::row);
    return table;
  }

  private Table times() {
    Table table = new Table(style, "TIME", ">P50", ">P95", ">P99", ">MAX");
    time(table, "queueing", r -> r.timings().queued());
    time(table, "start", Summary::start);
    time(table, "run", r -> r.timings().run());
    return table;
  }

  /** From the end of queueing to the running main command. */
  private static @Nullable Duration start(TaskResult result) {
    Duration sum = null;
    for (Duration part :
        new @Nullable Duration[] {
          result.timings().placed(), result.timings().prepared(), result.timings().started()
        }) {
      if (part != null) {
        sum = sum == null ? part : sum.plus(part);
      }
    }
    return sum;
  }

  private void time(Table table, String name, Function<TaskResult, @Nullable Duration> phase) {
    List<Duration> sorted = tally.times(phase);
    if (!sorted.isEmpty()) {
      table.row(
          name,
          Figures.duration(Tally.percentile(sorted, 0.5)),
          Figures.duration(Tally.percentile(sorted, 0.95)),
          Figures.duration(Tally.percentile(sorted, 0.99)),
          Figures.duration(sorted.getLast()));
    }
  }

  /** All tasks of a small batch; of a larger one, some of each kind that did not exit 0. */
  private Table tasks() {
    Table table = new Table(style, "TASK", "ENDING", ">RUN", "LAST LINE OF STDERR", "SANDBOX");
    boolean small = tally.size() <= SMALL;
    for (Map.Entry<String, List<TaskResult>> group : tally.byEnding().entrySet()) {
      List<TaskResult> shown =
          small
              ? group.getValue()
              : group.getValue().stream()
                  .filter(r -> !r.ending().succeeded())
                  .limit(EXAMPLES)
                  .toList();
      shown.forEach(
          r -> {
            Duration run = r.timings().run();
            table.row(
                paint(r.ending()),
                r.id(),
                group.getKey(),
                run == null ? "-" : Figures.duration(run),
                lastLine(r),
                r.sandbox() == null ? "-" : r.sandbox());
          });
    }
    return table;
  }

  private void faults(List<String> lines) {
    List<TaskResult> faults = tally.faults();
    if (faults.isEmpty()) {
      lines.add("No platform faults.");
      return;
    }
    lines.add(style.red("Platform faults (mask these results, do not score them):"));
    Table table = new Table(style, "TASK", "ENDING", ">ATTEMPT", "NODE", "SANDBOX");
    for (TaskResult r : faults.subList(0, Math.min(MAX_FAULTS, faults.size()))) {
      table.row(
          r.id(),
          EndingText.of(r.ending()),
          r.attempt(),
          r.node() == null ? "-" : r.node(),
          r.sandbox() == null ? "-" : r.sandbox());
    }
    lines.addAll(table.lines());
    if (faults.size() > MAX_FAULTS) {
      lines.add("… and %d more (--out FILE has all)".formatted(faults.size() - MAX_FAULTS));
    }
  }

  private UnaryOperator<String> paint(Ending ending) {
    if (ending.succeeded()) {
      return style::green;
    }
    return ending.isFault() ? style::red : UnaryOperator.identity();
  }

  private static String lastLine(TaskResult result) {
    String text =
        result.ending() instanceof Ending.NotStarted(var _, String message) && !message.isEmpty()
            ? message
            : result.stderr();
    if (text == null || text.isBlank()) {
      return "-";
    }
    String line = text.strip().lines().reduce((_, last) -> last).orElse("").strip();
    return line.length() <= MESSAGE ? line : line.substring(0, MESSAGE - 1) + "…";
  }
}
