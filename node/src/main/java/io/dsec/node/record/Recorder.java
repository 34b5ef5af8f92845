// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * Writer of one sandbox's trajectory. Safe to use from many threads; gives each event the next
 * {@code seq}. Never throws and never blocks for long: what cannot be written is counted and told
 * by a {@code record.gap} event.
 */
public interface Recorder extends AutoCloseable {
  /**
   * Adds an event.
   *
   * @param data JSON values by field name: String, Number, Boolean, {@link io.dsec.model.Bytes}
   *     (text, or base64 where not UTF-8), lists and maps of these
   * @return its {@code seq}; 0 when recording is off
   */
  long event(String kind, Map<String, ?> data);

  /**
   * Adds bytes that an exec wrote or read ({@code kind} is {@code exec.stdout}, {@code exec.stderr}
   * or {@code exec.stdin}). Per exec and stream a bounded head is kept, then one {@code record.gap}
   * tells what was left out. A character is never split between two events. Bytes before the offset
   * reached so far are ignored, so resending after a restart does no harm.
   */
  long bytes(String kind, String exec, long offset, ByteBuffer data);

  /** The exec's streams are complete: flushes held-back partial characters and the gap's total. */
  void finished(String exec);

  @Override
  void close();
}
