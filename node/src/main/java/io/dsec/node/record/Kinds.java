// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.util.List;

/** Kinds of events that the recorder treats in a way of their own. */
final class Kinds {
  static final String STDIN = "exec.stdin";
  static final String STDOUT = "exec.stdout";
  static final String STDERR = "exec.stderr";
  static final String EXEC_END = "exec.end";
  static final String GAP = "record.gap";
  static final List<String> STREAMS = List.of(STDIN, STDOUT, STDERR);

  private static final List<String> BUFFERED =
      List.of("process.", "file.", "net.", "dns.", "input.", "resource");

  private Kinds() {}

  /**
   * Whether the event is in the file before its caller goes on: the life cycle, start and end of
   * execs, what the client sent. The rest is plentiful and written within 50 ms, or by the next
   * event that is not.
   */
  static boolean writtenAtOnce(String kind) {
    if (STREAMS.contains(kind)) {
      return false;
    }
    for (String prefix : BUFFERED) {
      if (kind.startsWith(prefix)) {
        return false;
      }
    }
    return true;
  }

  /** {@code stdout} of {@code exec.stdout}. */
  static String streamName(String kind) {
    return kind.substring(kind.indexOf('.') + 1);
  }
}
