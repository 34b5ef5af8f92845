// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

/** Events that could not be kept, until a gap event tells of them. */
final class Loss {
  private long events;
  private long bytes;

  void add(long size) {
    events++;
    bytes += size;
  }

  boolean isEmpty() {
    return events == 0;
  }

  long events() {
    return events;
  }

  long bytes() {
    return bytes;
  }

  void clear() {
    events = 0;
    bytes = 0;
  }
}
