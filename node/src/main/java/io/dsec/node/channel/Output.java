// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import java.nio.ByteBuffer;

/**
 * Bytes that an exec wrote. {@code data} lies inside {@code frame}.
 *
 * @param stream 0 stdout, 1 stderr
 */
public record Output(long exec, int stream, long offset, ByteBuffer data, Frame frame) {
  public static final int MAX_DATA = 256 << 10;
}
