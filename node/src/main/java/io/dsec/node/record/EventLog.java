// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.model.SandboxId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines of one trajectory, numbered, stamped and written; guarded by the recorder's lock.
 *
 * <p>Lines wait in {@link #pending}. Kinds that others rely on ({@link Kinds#writtenAtOnce}) are
 * written to the file, with all that waits before them, while their caller waits; the rest is
 * written at 64 KiB or after 50 ms. Writing is one positional write to the page cache, without
 * fsync: it survives the end of this process, and a power loss ends the sandbox too.
 *
 * <p>When a write fails, what waits stays and is tried again every 250 ms. Meanwhile new events are
 * kept as far as 64 KiB reach, then dropped <em>before</em> they get a {@code seq}, and a gap event
 * tells how many once writing works again. So the numbers in the file never have holes.
 */
final class EventLog {
  private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
  private static final int BATCH = 64 << 10;
  private static final int OUTPUT_BACKLOG = 48 << 10;
  private static final long LIFE_CYCLE_RESERVE = 1L << 20;
  private static final long RETRY_NANOS = Duration.ofMillis(250).toNanos();

  private final SandboxId id;
  private final Spool spool;
  private final SpoolFile file;
  private final SpooledRecorder owner;
  private final Loss unwritable = new Loss();
  private final Loss overCap = new Loss();
  private @Nullable LineBuffer pending;

  /** Bytes of {@link #pending} that are whole lines; what follows is a line being built. */
  private int whole;

  private @Nullable String failing;
  private boolean capped;
  private long retryAt;
  private long seq;
  private long t;
  private long origin;
  private volatile long written;

  EventLog(SandboxId id, Spool spool, SpoolFile file, SpooledRecorder owner) {
    this.id = id;
    this.spool = spool;
    this.file = file;
    this.owner = owner;
    this.origin = spool.ticker().getAsLong();
  }

  /** Continues after the whole lines of a file; the pause is an estimate by the wall clock. */
  void resume(Resumed before, Instant now) throws IOException {
    seq = before.seq();
    written = before.length();
    t = before.t();
    Duration away = Duration.between(before.wall(), now);
    long pause = seq == 0 || away.isNegative() ? 0 : away.toNanos();
    origin = spool.ticker().getAsLong() - t - pause;
    if (before.torn() > 0) {
      file.truncate(written);
      spool.size().written(-before.torn());
      gap("torn_tail", Map.of("bytes", before.torn()));
    }
  }

  /** Bytes of the file that hold whole, final lines. */
  long written() {
    return written;
  }

  /** Whether output is dropped because the trajectory is as large as it may be. */
  boolean isOverCap() {
    return capped;
  }

  void tooLarge(long size) {
    drop(overCap, size);
  }

  /** The recording is complete: tells the totals of what was beyond the sandbox's cap. */
  void complete() {
    if (!overCap.isEmpty()) {
      gap("cap", Map.of("events", overCap.events(), "bytes", overCap.bytes()));
      overCap.clear();
    }
  }

  void close() {
    write(true);
    LineBuffer out = pending;
    pending = null;
    if (out != null && whole > 0) {
      spool.size().waiting(-whole);
      LOG.warn("trajectory {} was closed with {} bytes that cannot be written", id, whole);
    }
    file.close();
  }

  boolean closeIdleFile() {
    return file.closeIdle();
  }

  /** Tells what is missing; returns 0 when even that had to be dropped. */
  long gap(String reason, Map<String, ?> details) {
    int start = begin(Kinds.GAP, null);
    LineBuffer out = line();
    out.raw("{\"reason\":");
    out.string(reason);
    details.forEach(
        (name, value) -> {
          out.raw(',');
          out.string(name);
          out.raw(':');
          if (value instanceof Number number) {
            out.number(number.longValue());
          } else {
            out.string(value.toString());
          }
        });
    out.raw('}');
    long at = commit(start, Kinds.GAP);
    if (at != 0) {
      spool.metrics().gap(reason);
    }
    return at;
  }

  /**
   * Starts a line up to the value of its data; {@link #commit} takes the result. A line that was
   * begun and never committed is forgotten.
   */
  int begin(String kind, @Nullable Long action) {
    LineBuffer out = line();
    out.truncate(whole);
    head(out, kind, action);
    return whole;
  }

  private void head(LineBuffer out, String kind, @Nullable Long action) {
    t = Math.max(t, spool.ticker().getAsLong() - origin);
    out.raw("{\"v\":1,\"seq\":");
    out.number(seq + 1);
    out.raw(",\"t\":");
    out.number(t);
    out.raw(",\"wall\":");
    spool.wall().write(out);
    out.raw(",\"sandbox\":\"");
    out.raw(id.value());
    out.raw('"');
    if (action != null) {
      out.raw(",\"action\":");
      out.number(action);
    }
    out.raw(",\"kind\":");
    out.string(kind);
    out.raw(",\"data\":");
  }

  /** Ends the line that begins at {@code start}; returns its seq, or 0 when there is no room. */
  long commit(int start, String kind) {
    LineBuffer out = line();
    out.raw("}\n");
    int size = out.length() - start;
    boolean atOnce = Kinds.writtenAtOnce(kind);
    if (written + out.length() > room(kind, atOnce)) {
      out.truncate(start);
      capped = true;
      drop(overCap, size);
      return 0;
    }
    boolean crowded = spool.size().isCrowded();
    if (failing != null && (crowded || isBacklogFull(out.length(), kind, atOnce))) {
      out.truncate(start);
      drop(unwritable, size);
      write(false);
      return 0;
    }
    whole = out.length();
    seq++;
    long mine = seq;
    spool.size().waiting(size);
    spool.metrics().event();
    if (atOnce || crowded || out.length() >= BATCH) {
      write(false);
    } else if (start == 0) {
      spool.loop().dirty(owner);
    }
    return mine;
  }

  /** Once output had to be dropped, all of it is until writing works again: one hole, one gap. */
  private boolean isBacklogFull(int length, String kind, boolean atOnce) {
    boolean output = !atOnce || kind.equals(Kinds.GAP);
    return output ? length > OUTPUT_BACKLOG || !unwritable.isEmpty() : length > BATCH;
  }

  private long room(String kind, boolean atOnce) {
    long cap = spool.config().sandboxBytes();
    return kind.equals(Kinds.GAP)
        ? cap + 2 * LIFE_CYCLE_RESERVE
        : atOnce ? cap + LIFE_CYCLE_RESERVE : cap;
  }

  private void drop(Loss loss, long size) {
    loss.add(size);
    spool.metrics().dropped();
  }

  /** Where the line is written. */
  LineBuffer line() {
    LineBuffer out = pending;
    if (out == null) {
      out = spool.buffers().take();
      pending = out;
    }
    return out;
  }

  /** Writes what waits; while writing fails only every 250 ms, unless forced. */
  void write(boolean force) {
    LineBuffer out = pending;
    if (out == null || whole == 0) {
      return;
    }
    if (failing != null && !force && spool.ticker().getAsLong() - retryAt < 0) {
      return;
    }
    try {
      if (spool.size().isFull()) {
        throw new SpoolFullException(spool.config().totalBytes());
      }
      if (file.write(out.array(), whole, written)) {
        spool.loop().opened(owner);
      }
      written(out);
    } catch (IOException e) {
      fails(e);
    }
  }

  private void written(LineBuffer out) {
    int length = whole;
    whole = 0;
    long end = written + length;
    written = end;
    pending = null;
    spool.buffers().give(out);
    spool.size().written(length);
    spool.size().waiting(-length);
    spool.metrics().written(length);
    owner.progressed();
    String reason = failing;
    if (reason == null) {
      return;
    }
    failing = null;
    LOG.info("trajectory {} can be written again; {} events were lost", id, unwritable.events());
    if (!unwritable.isEmpty()) {
      Map<String, Long> totals = Map.of("events", unwritable.events(), "bytes", unwritable.bytes());
      unwritable.clear();
      gap(reason, totals);
    }
  }

  private void fails(IOException e) {
    spool.metrics().error();
    retryAt = spool.ticker().getAsLong() + RETRY_NANOS;
    if (failing == null) {
      LOG.warn("trajectory {} cannot be written for now: {}", id, e.toString());
    }
    failing = SpoolFullException.reason(e);
    spool.loop().retry(owner);
  }
}
