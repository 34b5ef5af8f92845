// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.proto.guest.Stream;
import io.dsec.proto.guest.Window;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One output stream of an exec: what is kept of it, and how far the guest may send. Guarded by the
 * exec's lock.
 *
 * <p>Credit: init may send up to {@code limit}, which stays {@value #WINDOW} bytes ahead of what
 * the consumer has taken. The guest is told when there is something to tell: bytes that it may
 * drop, or half a window of new room.
 */
final class OutputStreamState {
  static final int WINDOW = 1 << 20;

  private final int stream;
  private final KeptOutput kept;
  private long taken;
  private long limit;
  private long toldAcked;

  OutputStreamState(int stream, KeptOutput kept) {
    this.stream = stream;
    this.kept = kept;
    this.taken = kept.received();
    this.limit = taken + WINDOW;
    this.toldAcked = kept.acked();
  }

  KeptOutput kept() {
    return kept;
  }

  long limit() {
    return limit;
  }

  /** The new part of {@code output}; null when it was received before. */
  @Nullable ByteBuffer fresh(Output output) throws ProtocolBreach {
    ByteBuffer data = output.data();
    long end = output.offset() + data.remaining();
    long have = kept.received();
    if (output.offset() > have) {
      throw new ProtocolBreach(
          "output of exec %d jumps from %d to %d".formatted(output.exec(), have, output.offset()));
    }
    if (end > limit) {
      throw new ProtocolBreach(
          "output of exec %d reaches %d, its credit %d".formatted(output.exec(), end, limit));
    }
    if (end <= have) {
      return null;
    }
    int known = (int) (have - output.offset());
    return data.slice(data.position() + known, data.remaining() - known);
  }

  /** The consumer is done with the bytes before {@code offset}. */
  void taken(long offset) {
    taken = Math.max(taken, offset);
  }

  /** Room for all that init can still hold, when nobody takes anything any more. */
  void extend() {
    limit += WINDOW;
  }

  /** What to tell the guest now, if anything. */
  @Nullable Window news(long exec) {
    boolean room = taken + WINDOW - limit >= WINDOW / 2;
    return room || kept.acked() > toldAcked ? window(exec) : null;
  }

  Window window(long exec) {
    limit = Math.max(limit, taken + WINDOW);
    toldAcked = kept.acked();
    return Window.newBuilder()
        .setExec(exec)
        .setStream(Stream.forNumber(stream))
        .setAcked(toldAcked)
        .setLimit(limit)
        .build();
  }
}
