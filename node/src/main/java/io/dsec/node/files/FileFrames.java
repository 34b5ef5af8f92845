// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.dsec.model.Bytes;
import io.dsec.node.exec.AppletStream;
import io.dsec.proto.files.Reply;
import io.dsec.proto.files.Request;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Requests to the guest's file applet and its replies: a 4-byte length, then the message. */
final class FileFrames {
  /** As the guest's own bound. */
  private static final int MAX_REPLY = 1 << 20;

  private FileFrames() {}

  static void send(AppletStream applet, Request request) throws IOException {
    byte[] frame = new byte[4 + request.getSerializedSize()];
    ByteBuffer.wrap(frame).putInt(frame.length - 4);
    CodedOutputStream out = CodedOutputStream.newInstance(frame, 4, frame.length - 4);
    try {
      request.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // an array that is as long as was said
    }
    applet.send(Bytes.wrap(frame));
  }

  static Reply receive(AppletStream applet) throws IOException {
    InputStream in = applet.input();
    int length = ByteBuffer.wrap(exactly(in, 4)).getInt();
    if (length < 1 || length > MAX_REPLY) {
      throw new IOException("the guest sent a reply of %d bytes".formatted(length));
    }
    try {
      return Reply.parseFrom(exactly(in, length));
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("the guest sent a reply that is none", e);
    }
  }

  private static byte[] exactly(InputStream in, int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("the file applet ended");
    }
    return bytes;
  }
}
