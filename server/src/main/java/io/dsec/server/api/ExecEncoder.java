// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.ExecListener;
import io.dsec.server.exec.ExecReply;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One form of a streamed exec. Each call writes to the reader at once; one thread at a time. */
interface ExecEncoder extends Closeable {
  void start(String id) throws IOException;

  void output(ExecListener.Stream stream, long offset, ByteBuffer data) throws IOException;

  void heartbeat() throws IOException;

  void end(ExecReply reply) throws IOException;

  /** Ends the reply. */
  @Override
  void close() throws IOException;
}
