// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import java.nio.ByteBuffer;

/** Frames for tests of other packages. */
public final class TestFrames {
  private TestFrames() {}

  public static Output output(long exec, int stream, long offset, byte[] data) {
    ByteBuffer bytes = ByteBuffer.wrap(data);
    return new Output(exec, stream, offset, bytes, new Frame(bytes, null));
  }
}
