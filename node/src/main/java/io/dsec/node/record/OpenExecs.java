// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The streams of execs that are not finished, and which execs are. */
final class OpenExecs {
  private static final String PREFIX = "e-";
  private static final int MAX_NUMBER = 1 << 20;
  private static final int STREAMS = 3;

  private @Nullable Map<String, @Nullable StreamHead[]> open;
  private final BitSet finished = new BitSet(0);

  /** The stream, or null when its exec is finished already. */
  @Nullable StreamHead stream(String exec, String kind) {
    int number = number(exec);
    if (number >= 0 && finished.get(number)) {
      return null;
    }
    if (open == null) {
      open = new LinkedHashMap<>();
    }
    @Nullable StreamHead[] heads =
        open.computeIfAbsent(exec, _ -> new @Nullable StreamHead[STREAMS]);
    int index = index(kind);
    StreamHead head = heads[index];
    if (head == null) {
      head = new StreamHead();
      heads[index] = head;
    }
    return head;
  }

  /** Hands each stream of the exec to {@code last}, then forgets them. */
  void finish(String exec, BiConsumer<String, StreamHead> last) {
    int number = number(exec);
    if (number >= 0) {
      finished.set(number);
    }
    @Nullable StreamHead[] heads = open == null ? null : open.remove(exec);
    if (heads == null) {
      return;
    }
    if (open != null && open.isEmpty()) {
      open = null;
    }
    for (int i = 0; i < STREAMS; i++) {
      StreamHead head = heads[i];
      if (head != null) {
        last.accept(Kinds.STREAMS.get(i), head);
      }
    }
  }

  List<String> names() {
    return open == null ? List.of() : List.copyOf(open.keySet());
  }

  private static int index(String kind) {
    return Kinds.STREAMS.indexOf(kind);
  }

  /** N of {@code e-N}; -1 for other names, which are not remembered once finished. */
  private static int number(String exec) {
    if (!exec.startsWith(PREFIX) || exec.length() > PREFIX.length() + 7) {
      return -1;
    }
    int number = 0;
    for (int i = PREFIX.length(); i < exec.length(); i++) {
      int digit = exec.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number <= MAX_NUMBER ? number : -1;
  }
}
