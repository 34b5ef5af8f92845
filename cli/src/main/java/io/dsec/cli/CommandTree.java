// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * Commands by name, each built only when it is called: to build all takes longer than most of them
 * run.
 */
final class CommandTree {
  /** Builds it, with the command that the words begin with or with all that it has. */
  private interface Entry {
    Object built(List<String> words);
  }

  private final Supplier<Object> root;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  CommandTree(Supplier<Object> root) {
    this.root = root;
  }

  CommandTree leaf(String name, Supplier<Object> command) {
    entries.put(name, _ -> command.get());
    return this;
  }

  CommandTree group(String name, Supplier<CommandTree> commands) {
    entries.put(name, words -> commands.get().called(words));
    return this;
  }

  CommandLine whole() {
    return called(List.of());
  }

  /** The root with the command that {@code words} begin with, or with all if that is none. */
  CommandLine called(List<String> words) {
    CommandLine line = new CommandLine(root.get());
    Entry called = words.isEmpty() ? null : entries.get(words.getFirst());
    if (called == null) {
      entries.forEach((name, entry) -> line.addSubcommand(name, entry.built(List.of())));
    } else {
      line.addSubcommand(words.getFirst(), called.built(words.subList(1, words.size())));
    }
    return line;
  }
}
