// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

/**
 * A part of a file.
 *
 * @param from first byte; negative: so many bytes from the end
 * @param count at most; 0: to the end
 */
public record FileRange(long from, long count) {
  public static final FileRange WHOLE = new FileRange(0, 0);
}
