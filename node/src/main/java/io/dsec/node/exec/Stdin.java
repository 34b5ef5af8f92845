// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dsec.model.Bytes;
import io.dsec.node.channel.GuestLink;
import io.dsec.proto.guest.ToGuest;
import java.nio.ByteBuffer;

/** Sends an exec's input as far as the guest's credit reaches. Guarded by the exec's lock. */
final class Stdin {
  private static final int CHUNK = 256 << 10;

  private final long exec;
  private final ByteBuffer data;
  private long sent;
  private long limit;
  private boolean closed;

  Stdin(long exec, Bytes data) {
    this.exec = exec;
    this.data = data.buffer();
  }

  /** After a reconnect: init has everything before {@code received}. */
  void resume(long received) {
    sent = Math.clamp(received, 0, data.limit());
    limit = Math.max(limit, sent);
    closed = false;
  }

  void credit(long newLimit) {
    limit = Math.max(limit, newLimit);
  }

  /** The program reads no more. */
  void stop() {
    closed = true;
  }

  void pump(GuestLink link) {
    while (!closed) {
      int count = (int) Math.min(CHUNK, Math.min(limit, data.limit()) - sent);
      boolean last = sent + count == data.limit();
      if (count <= 0 && !last) {
        return;
      }
      ByteString bytes = UnsafeByteOperations.unsafeWrap(data.slice((int) sent, count));
      link.send(
          ToGuest.newBuilder()
              .setStdin(
                  io.dsec.proto.guest.Stdin.newBuilder()
                      .setExec(exec)
                      .setOffset(sent)
                      .setData(bytes)
                      .setClose(last))
              .build());
      sent += count;
      closed = last;
    }
  }
}
