// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.Json;
import io.dsec.link.Placement;
import io.dsec.model.StateChange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * What a journal says.
 *
 * @param mainExec number of the main command's exec, once it was about to be started
 * @param processes background processes that were about to be started
 * @param adoptions how often another node process took the sandbox over
 */
record JournalView(
    Placement placement,
    List<StateChange> history,
    Instant expiresAt,
    Optional<JournalEntry.Launched> launched,
    Optional<Long> mainExec,
    Optional<MainResult> main,
    List<JournalEntry.ProcessStarted> processes,
    int adoptions) {
  private static final Logger log = LoggerFactory.getLogger(JournalView.class);

  private static final Map<String, Class<? extends JournalEntry>> KINDS =
      Map.of(
          "placed", JournalEntry.Placed.class,
          "changed", JournalEntry.Changed.class,
          "launched", JournalEntry.Launched.class,
          "mainstarted", JournalEntry.MainStarted.class,
          "mainended", JournalEntry.MainEnded.class,
          "processstarted", JournalEntry.ProcessStarted.class,
          "renewed", JournalEntry.Renewed.class,
          "adopted", JournalEntry.Adopted.class);

  JournalView {
    history = List.copyOf(history);
    processes = List.copyOf(processes);
  }

  StateChange last() {
    return history.getLast();
  }

  /** Nothing when the journal does not hold an order and a state. */
  static Optional<JournalView> read(Path directory) throws IOException {
    Path file = directory.resolve(Journal.FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    return fold(entries(new String(Files.readAllBytes(file), StandardCharsets.UTF_8), file));
  }

  private static List<JournalEntry> entries(String text, Path file) {
    List<JournalEntry> entries = new ArrayList<>();
    int start = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      try {
        entries.add(parse(text.substring(start, end)));
      } catch (JacksonException | IllegalArgumentException e) {
        log.warn("{}: stops at a line that cannot be read: {}", file, e.getMessage());
        return entries;
      }
      start = end + 1;
    }
    return entries;
  }

  /** {@code {"mainstarted":{"exec":1}}} */
  private static JournalEntry parse(String line) {
    JsonNode tree = Json.mapper().readTree(line);
    for (Map.Entry<String, JsonNode> field : tree.properties()) {
      Class<? extends JournalEntry> kind = KINDS.get(field.getKey());
      if (kind != null) {
        return Json.mapper().treeToValue(field.getValue(), kind);
      }
    }
    throw new IllegalArgumentException("no known kind of entry");
  }

  private static Optional<JournalView> fold(List<JournalEntry> entries) {
    if (entries.isEmpty()
        || !(entries.getFirst() instanceof JournalEntry.Placed(Placement placed))) {
      return Optional.empty();
    }
    List<StateChange> history = new ArrayList<>();
    Instant expiresAt = placed.expiresAt();
    Optional<JournalEntry.Launched> launched = Optional.empty();
    Optional<Long> mainExec = Optional.empty();
    Optional<MainResult> main = Optional.empty();
    List<JournalEntry.ProcessStarted> processes = new ArrayList<>();
    int adoptions = 0;
    for (JournalEntry entry : entries) {
      switch (entry) {
        case JournalEntry.Placed _ -> {}
        case JournalEntry.Changed(StateChange change) -> history.add(change);
        case JournalEntry.Launched l -> launched = Optional.of(l);
        case JournalEntry.MainStarted(long exec) -> mainExec = Optional.of(exec);
        case JournalEntry.MainEnded(MainResult result) -> main = Optional.of(result);
        case JournalEntry.ProcessStarted p -> processes.add(p);
        case JournalEntry.Renewed(Instant at) -> expiresAt = at;
        case JournalEntry.Adopted _ -> adoptions++;
      }
    }
    return history.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new JournalView(
                placed, history, expiresAt, launched, mainExec, main, processes, adoptions));
  }
}
