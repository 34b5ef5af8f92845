// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.OutputCursor;
import io.dsec.model.Bytes;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Start;
import io.dsec.proto.guest.Window;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an exec writes: recorded, kept for readers and, where a listener follows, queued for it.
 * Guarded by the exec's lock.
 *
 * <p>With a listener, credit follows what the listener has taken, so a slow one holds back this
 * exec's output only. On a terminal it follows whoever attached last. Else it follows what was
 * received.
 */
final class ExecOutput {
  private static final String[] KINDS = {"exec.stdout", "exec.stderr"};

  private final long number;
  private final String id;
  private final long max;
  private final ExecContext context;
  private final OutputStreamState[] streams;
  private @Nullable Pieces pieces; // only with a listener
  private @Nullable ProcessOutput pacer; // only while one is attached to a terminal

  ExecOutput(Beginning beginning, ExecContext context) {
    this.number = beginning.number();
    this.id = beginning.id();
    this.max = beginning.spec().maxOutput();
    this.context = context;
    this.pieces = beginning.followed() ? new Pieces() : null;
    this.streams =
        new OutputStreamState[] {
          stream(0, beginning.stdoutAcked()), stream(1, beginning.stderrAcked())
        };
  }

  private OutputStreamState stream(int which, long acked) {
    var file = context.directory().resolve(KeptOutput.fileName(id, which));
    return new OutputStreamState(which, new KeptOutput(file, max, acked, context.spool()));
  }

  /** Bytes of a stream so far. */
  long received(int stream) {
    return streams[stream].kept().received();
  }

  boolean truncated() {
    return Math.max(received(0), received(1)) > max;
  }

  void windows(Start.Builder start) {
    start.setStdoutWindow(streams[0].limit()).setStderrWindow(streams[1].limit());
  }

  /** Takes what is new of it; false when nothing is. {@code late}: the exec has ended. */
  boolean take(Output output, boolean late) throws ProtocolBreach {
    OutputStreamState stream = streams[output.stream()];
    ByteBuffer fresh = stream.fresh(output);
    if (fresh == null) {
      return false;
    }
    long offset = stream.kept().received();
    context.recorder().bytes(KINDS[output.stream()], id, offset, fresh.duplicate());
    stream.kept().append(fresh.duplicate());
    if (late || (pieces == null && pacer == null)) {
      stream.taken(stream.kept().received());
      send(stream.news(number));
    } else if (pieces != null) {
      pieces.add(output, offset, fresh);
      post(stream.news(number)); // goes when the listener has taken the piece
    } else {
      send(stream.news(number));
    }
    return true;
  }

  /** After a reconnect: where init will go on. */
  void checkResumes(ExecStatus status) throws ProtocolBreach {
    checkAcked(0, status.getStdoutAcked());
    checkAcked(1, status.getStderrAcked());
  }

  private void checkAcked(int stream, long acked) throws ProtocolBreach {
    if (acked < 0 || acked > received(stream)) {
      throw new ProtocolBreach(
          "exec %d will resume at %d, past what was received".formatted(number, acked));
    }
  }

  void sendWindows() {
    for (OutputStreamState stream : streams) {
      send(stream.window(number));
    }
  }

  /** Room for all that init can still hold, when nobody takes anything any more. */
  void extend() {
    for (OutputStreamState stream : streams) {
      stream.extend();
    }
    sendWindows();
  }

  private void send(@Nullable Window window) {
    if (window != null) {
      context.link().send(Messages.window(window));
    }
  }

  private void post(@Nullable Window window) {
    if (window != null) {
      context.link().post(Messages.window(window));
    }
  }

  boolean followed() {
    return pieces != null;
  }

  boolean hasPieces() {
    return pieces != null && !pieces.isEmpty();
  }

  Pieces.@Nullable Piece nextPiece() {
    return pieces == null ? null : pieces.take();
  }

  /** The listener is done with the bytes of {@code stream} before {@code offset}. */
  void delivered(int stream, long offset, boolean ended) {
    streams[stream].taken(offset);
    if (!ended) {
      post(streams[stream].news(number));
    }
  }

  /** Without the exec's lock: tells the guest what was posted. */
  void flush() {
    context.link().flush();
  }

  /** Nobody listens any more: the exec goes on without. */
  void unfollow() {
    if (pieces != null) {
      pieces.clear();
      pieces = null;
    }
    for (OutputStreamState stream : streams) {
      stream.taken(stream.kept().received());
      send(stream.news(number));
    }
  }

  void pacedBy(ProcessOutput reader) {
    pacer = reader;
  }

  void paced(ProcessOutput reader, long offset, boolean ended) {
    if (pacer == reader) {
      streams[0].taken(offset);
      if (!ended) {
        send(streams[0].news(number)); // nobody flushes for a reader
      }
    }
  }

  void detached(ProcessOutput reader) {
    if (pacer == reader) {
      pacer = null;
      unfollow();
    }
  }

  OutputCursor.@Nullable Piece read(int stream, long from, int count) {
    return streams[stream].kept().read(from, count);
  }

  void rest(int stream) {
    streams[stream].kept().rest();
  }

  /** Of the first {@code length} bytes of a stream. */
  Bytes kept(int stream, long length) {
    return streams[stream].kept().kept(length);
  }

  int inMemoryBytes() {
    return streams[0].kept().inMemoryBytes() + streams[1].kept().inMemoryBytes();
  }

  long onDiskBytes() {
    return streams[0].kept().reserved() + streams[1].kept().reserved();
  }

  /** Drops what is kept, or closes it where {@code keepSpool}. */
  void dispose(boolean keepSpool) {
    for (OutputStreamState stream : streams) {
      if (keepSpool && stream.kept().spooled()) {
        stream.kept().leave();
      } else {
        stream.kept().discard();
      }
    }
    if (pieces != null) {
      pieces.clear();
    }
  }
}
