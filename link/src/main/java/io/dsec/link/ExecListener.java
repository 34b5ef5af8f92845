// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import java.nio.ByteBuffer;

/** Follows one exec while it runs. */
public interface ExecListener {
  enum Stream {
    STDOUT,
    STDERR
  }

  /** The program runs; {@code id} names the exec. Not called for one that cannot start. */
  void started(String id);

  /** {@code data} is valid during the call only. {@code offset} counts the stream's bytes. */
  void output(Stream stream, long offset, ByteBuffer data);

  ExecListener NONE =
      new ExecListener() {
        @Override
        public void started(String id) {}

        @Override
        public void output(Stream stream, long offset, ByteBuffer data) {}
      };
}
