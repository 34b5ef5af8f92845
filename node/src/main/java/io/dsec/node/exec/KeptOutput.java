// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.OutputCursor;
import io.dsec.model.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is kept of one output stream: at most {@code max} bytes, half from its head and half from
 * its tail. Not safe for use by many threads.
 *
 * <p>The first {@value #IN_MEMORY} bytes that are not acknowledged stay in memory: init holds them
 * too, so they survive a crash of the node without a file, and a silent stream costs nothing.
 * Beyond that, bytes go to the {@link Spool} and only then count as {@link #acked}: init may drop
 * what the node can find again.
 *
 * <p>A spool that cannot be written (full disk) never stops the stream: nothing of it is kept then,
 * and the result says that it is truncated.
 */
public final class KeptOutput {
  static final int IN_MEMORY = 64 << 10;
  private static final Logger log = LoggerFactory.getLogger(KeptOutput.class);
  private static final byte[] NOTHING = new byte[0];

  private final long max;
  private final Spool spool;
  private final SpoolBudget budget;
  private long reserved;
  private byte[] pending = NOTHING;
  private int pendingLength;
  private long acked;
  private boolean broken;

  /** {@code acked}: where init will continue; what lies before is in the spool. */
  KeptOutput(Path spool, long max, long acked, SpoolBudget budget) {
    this.max = max;
    this.spool = new Spool(spool, max);
    this.budget = budget;
    this.reserved = budget.adopt(Math.min(acked, max));
    this.acked = acked;
  }

  /** Bytes of the stream so far. */
  long received() {
    return acked + pendingLength;
  }

  /** Bytes that init need not hold any longer. */
  long acked() {
    return acked;
  }

  boolean spooled() {
    return acked > 0;
  }

  /** Takes the bytes that follow {@link #received}. */
  void append(ByteBuffer data) {
    int n = data.remaining();
    if (pendingLength + n <= IN_MEMORY) {
      if (pendingLength + n > pending.length) {
        int room = Math.max(pendingLength + n, Math.min(IN_MEMORY, pending.length * 2));
        pending = Arrays.copyOf(pending, room);
      }
      data.get(pending, pendingLength, n);
      pendingLength += n;
      return;
    }
    long total = received() + n;
    if (!broken) {
      try {
        reserved = budget.grow(reserved, Math.min(total, max));
        spill();
        spool.write(acked, data);
      } catch (IOException e) {
        broken(e);
      }
    }
    acked = total;
    pendingLength = 0;
    pending = NOTHING;
  }

  private void spill() throws IOException {
    reserved = budget.grow(reserved, Math.min(received(), max));
    spool.write(acked, ByteBuffer.wrap(pending, 0, pendingLength));
    acked += pendingLength;
    pendingLength = 0;
    pending = NOTHING;
  }

  private void broken(IOException e) {
    broken = true;
    log.warn("output of an exec cannot be kept: {}", e.toString());
    try {
      spool.delete();
    } catch (IOException again) {
      log.warn("a spool file stays behind: {}", again.toString());
    }
    giveBack();
  }

  private void giveBack() {
    budget.giveBack(reserved);
    reserved = 0;
  }

  /** Of the first {@code length} bytes of the stream, as far as later ones have left them. */
  Bytes kept(long length) {
    if (broken) {
      return Bytes.EMPTY;
    }
    if (acked == 0) {
      return inMemory((int) length);
    }
    try {
      long written = received();
      spill();
      return Bytes.wrap(spool.read(length, written));
    } catch (IOException e) {
      broken(e);
      return Bytes.EMPTY;
    }
  }

  /**
   * Some bytes at {@code from} or, where those are not kept, beyond; null when there are none so
   * far.
   */
  OutputCursor.@Nullable Piece read(long from, int max) {
    long at = from;
    if (at < acked && !broken) {
      at = spool.keptFrom(at, acked);
      if (at < acked) {
        try {
          return new OutputCursor.Piece(at, Bytes.wrap(spool.read(at, acked, max)));
        } catch (IOException e) {
          broken(e);
        }
      }
    }
    at = Math.max(at, acked);
    long end = received();
    if (acked == 0 && end > this.max) { // all in memory, and more than is to be kept
      long tail = this.max / 2;
      if (at < this.max - tail) {
        end = this.max - tail;
      } else {
        at = Math.max(at, end - tail);
      }
    }
    if (at >= end) {
      return null;
    }
    int begin = (int) (at - acked);
    int count = (int) Math.min(max, end - at);
    return new OutputCursor.Piece(
        at, Bytes.wrap(Arrays.copyOfRange(pending, begin, begin + count)));
  }

  /** Bytes of the node's disk that it may take. */
  long reserved() {
    return reserved;
  }

  /** Bytes of it that are in memory. */
  int inMemoryBytes() {
    return pendingLength;
  }

  private Bytes inMemory(int length) {
    if (length <= max) {
      return Bytes.wrap(Arrays.copyOf(pending, length));
    }
    int tail = (int) (max / 2);
    int head = (int) (max - tail);
    byte[] kept = Arrays.copyOf(pending, head + tail);
    System.arraycopy(pending, length - tail, kept, head, tail);
    return Bytes.wrap(kept);
  }

  /** Closes the file, if any, until it is needed again. */
  void rest() {
    try {
      spool.close();
    } catch (IOException e) {
      broken(e);
    }
  }

  /** Gives the memory back and removes the file. */
  void discard() {
    boolean filed = spooled();
    acked = received();
    pending = NOTHING;
    pendingLength = 0;
    broken = true;
    giveBack();
    if (!filed) {
      return;
    }
    try {
      spool.delete();
    } catch (IOException e) {
      log.warn("a spool file stays behind: {}", e.toString());
    }
  }

  /** Closes the file and leaves it, complete, for a later {@link #read}. */
  void leave() {
    try {
      if (spooled() && !broken) {
        spill();
      }
      spool.close();
    } catch (IOException e) {
      broken(e);
    }
  }

  /** Of the spool file of one stream of an exec. */
  public static String fileName(String exec, int stream) {
    return exec + (stream == 0 ? ".stdout" : ".stderr");
  }

  /** True when a stream of this length has a spool file. */
  public static boolean spools(long length) {
    return length > IN_MEMORY;
  }

  /** Reads what {@link #leave} has left of a stream of {@code length} bytes. */
  public static Bytes read(Path path, long max, long length) {
    try (Spool spool = new Spool(path, max)) {
      return Bytes.wrap(spool.read(length, length));
    } catch (IOException e) {
      log.warn("kept output cannot be read: {}", e.toString());
      return Bytes.EMPTY;
    }
  }
}
