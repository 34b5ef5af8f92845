// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

/** What a sandbox was made for. */
public sealed interface Owner {
  /** A client works in it until it is deleted or expires. */
  record Client() implements Owner {
    @Override
    public String toString() {
      return "client";
    }
  }

  /** It runs the main command of one task. */
  record Task(String task) implements Owner {
    @Override
    public String toString() {
      return "task:" + task;
    }
  }

  /** It runs task number {@code index} of a batch. */
  record BatchTask(String batch, int index) implements Owner {
    @Override
    public String toString() {
      return "batch:" + batch + ":" + index;
    }
  }

  static Owner parse(String text) {
    String[] parts = text.split(":", -1);
    return switch (parts[0]) {
      case "client" -> new Client();
      case "task" -> new Task(parts[1]);
      case "batch" -> new BatchTask(parts[1], Integer.parseInt(parts[2]));
      default -> throw new IllegalArgumentException("no owner of a sandbox: " + text);
    };
  }
}
