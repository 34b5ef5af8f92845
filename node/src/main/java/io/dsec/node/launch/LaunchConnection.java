// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.launch;

import com.google.protobuf.CodedOutputStream;
import io.dsec.proto.launch.LaunchReply;
import io.dsec.proto.launch.LaunchRequest;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** One connection to the launcher: one request at a time, each followed by its reply. */
final class LaunchConnection implements Closeable {
  private static final int MAX_FRAME = 1 << 20;

  private final SocketChannel socket;

  private LaunchConnection(SocketChannel socket) {
    this.socket = socket;
  }

  static LaunchConnection open(Path path) throws IOException {
    return new LaunchConnection(SocketChannel.open(UnixDomainSocketAddress.of(path)));
  }

  LaunchReply ask(LaunchRequest request) throws IOException {
    ByteBuffer out = frame(request);
    while (out.hasRemaining()) {
      socket.write(out);
    }
    int length = fill(ByteBuffer.allocate(4)).getInt();
    if (length < 0 || length > MAX_FRAME) {
      throw new IOException("the launcher's reply says it is %d bytes long".formatted(length));
    }
    return LaunchReply.parseFrom(fill(ByteBuffer.allocate(length)));
  }

  private static ByteBuffer frame(LaunchRequest request) throws IOException {
    int length = request.getSerializedSize();
    ByteBuffer out = ByteBuffer.allocate(4 + length).putInt(length);
    CodedOutputStream coded = CodedOutputStream.newInstance(out.array(), 4, length);
    request.writeTo(coded);
    coded.flush();
    return out.rewind();
  }

  private ByteBuffer fill(ByteBuffer in) throws IOException {
    while (in.hasRemaining()) {
      if (socket.read(in) < 0) {
        throw new EOFException("the launcher closed the connection");
      }
    }
    return in.flip();
  }

  /** Also ends a request that waits, with an exception. */
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException _) {
      // the descriptor is gone all the same
    }
  }
}
