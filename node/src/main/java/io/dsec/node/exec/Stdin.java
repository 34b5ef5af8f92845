// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dsec.model.Bytes;
import io.dsec.model.ExecSpec;
import io.dsec.node.channel.GuestLink;
import io.dsec.proto.guest.ToGuest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * An exec's input on its way to the guest, as far as its credit reaches. What init may not have
 * received yet is held, so that it can be sent again over another connection. Guarded by the exec's
 * lock.
 */
final class Stdin {
  private static final int CHUNK = 256 << 10;

  /** How far init lets the node be ahead of the program. */
  private static final int AHEAD = 256 << 10;

  /** Held beyond what the guest has credit for, of input that comes in pieces. */
  private static final int QUEUED = 256 << 10;

  private record Held(long offset, ByteBuffer data) {
    long end() {
      return offset + data.limit();
    }
  }

  private final long exec;
  private final ArrayDeque<Held> held = new ArrayDeque<>(1);
  private long received;
  private long sent;
  private long limit;
  private boolean complete;
  private boolean closeSent;
  private boolean stopped;

  /** {@code open}: more follows {@code first} by {@link #add}. */
  Stdin(long exec, Bytes first, boolean open) {
    this.exec = exec;
    hold(first);
    complete = !open;
  }

  /** Whether a command of this kind reads anything but end-of-file. */
  static boolean given(ExecSpec spec) {
    return spec.stdinOpen() || spec.stdin().filter(data -> !data.isEmpty()).isPresent();
  }

  /** Bytes that callers have given. */
  long received() {
    return received;
  }

  /** No more can be given: end-of-file was, or the program reads no more. */
  boolean over() {
    return complete || stopped;
  }

  boolean hasRoom() {
    return received < limit + QUEUED;
  }

  /** Takes what follows {@link #received}. */
  void add(Bytes data, boolean close) {
    hold(data);
    complete = close;
  }

  private void hold(Bytes data) {
    if (!data.isEmpty()) {
      held.add(new Held(received, data.buffer()));
      received += data.length();
    }
  }

  /** After a reconnect: init has everything before {@code known}. */
  void resume(long known) {
    received = Math.max(received, known);
    sent = known;
    limit = Math.max(limit, sent);
    closeSent = false;
    stopped = false;
    drop(known);
  }

  void credit(long newLimit) {
    limit = Math.max(limit, newLimit);
    drop(limit - AHEAD);
  }

  private void drop(long before) {
    while (!held.isEmpty() && held.getFirst().end() <= before) {
      held.removeFirst();
    }
  }

  /** The program reads no more. */
  void stop() {
    stopped = true;
    held.clear();
  }

  /**
   * Posts what there is credit for. The caller flushes without a lock: a guest that does not read
   * may hold that up.
   */
  void post(GuestLink link) {
    while (!stopped && !closeSent) {
      Held next = null;
      for (Held piece : held) {
        if (piece.end() > sent) {
          next = piece;
          break;
        }
      }
      if (next == null) {
        if (complete) {
          send(link, ByteString.EMPTY, true);
        }
        return;
      }
      int from = (int) (sent - next.offset());
      int count = (int) Math.min(CHUNK, Math.min(limit - sent, next.data().limit() - from));
      if (count <= 0) {
        return;
      }
      boolean last = complete && sent + count == received;
      send(link, UnsafeByteOperations.unsafeWrap(next.data().slice(from, count)), last);
    }
  }

  private void send(GuestLink link, ByteString bytes, boolean close) {
    link.post(
        ToGuest.newBuilder()
            .setStdin(
                io.dsec.proto.guest.Stdin.newBuilder()
                    .setExec(exec)
                    .setOffset(sent)
                    .setData(bytes)
                    .setClose(close))
            .build());
    sent += bytes.size();
    closeSent = close;
  }
}
