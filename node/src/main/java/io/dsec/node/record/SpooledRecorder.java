// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.model.SandboxId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One trajectory being written.
 *
 * <p>One lock orders everything: who holds it gives the next {@code seq}. Values are encoded before
 * it is taken; streams are cut, masked and encoded under it, because they depend on what came
 * before.
 */
final class SpooledRecorder implements Recorder {
  private static final Logger LOG = LoggerFactory.getLogger(SpooledRecorder.class);
  private static final int LARGEST_EVENT = 16 << 20;

  private final SandboxId id;
  private final SecretMask mask;
  private final Spool spool;
  private final Path path;
  private final EventLog log;
  private final Consumer<SpooledRecorder> whenClosed;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition progress = lock.newCondition();
  private OpenExecs execs = new OpenExecs();
  private volatile boolean closed;

  SpooledRecorder(
      SandboxId id, SecretMask mask, Spool spool, Path path, Consumer<SpooledRecorder> whenClosed) {
    this.id = id;
    this.mask = mask;
    this.spool = spool;
    this.path = path;
    this.whenClosed = whenClosed;
    this.log = new EventLog(id, spool, new SpoolFile(path, spool.files()), this);
  }

  SandboxId id() {
    return id;
  }

  /** Continues the file of an earlier process, if there is one. */
  void resume(Instant now) {
    lock.lock();
    try {
      if (Files.exists(path)) {
        Resumed before = TailScan.scan(path, spool.config().streamBytes());
        execs = before.execs();
        log.resume(before, now);
      }
    } catch (IOException | RuntimeException e) {
      spool.metrics().error();
      closed = true;
      LOG.error("trajectory {} cannot be continued and is not recorded", path, e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long event(String kind, Map<String, ?> data) {
    LineBuffer fields = spool.buffers().take();
    try {
      new JsonValues(fields, mask).object(data);
      Long action = data.get("action") instanceof Number n ? n.longValue() : null;
      String ended =
          kind.equals(Kinds.EXEC_END) && data.get("exec") instanceof String exec ? exec : null;
      return add(kind, action, fields, ended);
    } catch (RuntimeException e) {
      spool.metrics().error();
      LOG.warn("an event of kind {} of {} cannot be written as JSON: {}", kind, id, e.toString());
      unencodable();
      return 0;
    } finally {
      spool.buffers().give(fields);
    }
  }

  private long add(String kind, @Nullable Long action, LineBuffer fields, @Nullable String ended) {
    lock.lock();
    try {
      if (closed) {
        return 0;
      }
      if (ended != null) {
        finish(ended);
      }
      if (fields.length() > LARGEST_EVENT) {
        log.tooLarge(fields.length());
        return 0;
      }
      int start = log.begin(kind, action);
      log.line().append(fields);
      return log.commit(start, kind);
    } finally {
      lock.unlock();
    }
  }

  private void unencodable() {
    lock.lock();
    try {
      if (!closed) {
        log.gap("unencodable", Map.of("events", 1));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long bytes(String kind, String exec, long offset, ByteBuffer data) {
    if (!Kinds.STREAMS.contains(kind)) {
      spool.metrics().error();
      return 0;
    }
    lock.lock();
    try {
      @Nullable StreamHead head = closed ? null : execs.stream(exec, kind);
      return head == null ? 0 : bytes(head, kind, exec, offset, data.duplicate());
    } catch (RuntimeException e) {
      spool.metrics().error();
      LOG.warn("{} of {} in {} cannot be recorded: {}", kind, exec, id, e.toString());
      return 0;
    } finally {
      lock.unlock();
    }
  }

  private long bytes(StreamHead head, String kind, String exec, long offset, ByteBuffer data) {
    long end = offset + data.remaining();
    long next = head.next();
    head.see(end);
    if (end <= next || head.full()) {
      return 0;
    }
    if (offset > next && !tell(head, "lost", kind, exec, offset)) {
      return 0;
    }
    if (offset < next) {
      data.position(data.position() + (int) (next - offset));
    }
    byte[] all = head.join(data, spool.config().streamBytes());
    return record(head, all, kind, exec, false);
  }

  private long record(StreamHead head, byte[] all, String kind, String exec, boolean last) {
    StreamHead.Chunk chunk = head.chunk(all, mask, last);
    long at = 0;
    if (!chunk.isEmpty()) {
      int start = log.begin(kind, null);
      LineBuffer out = log.line();
      out.raw("{\"exec\":");
      out.string(exec);
      out.raw(",\"offset\":");
      out.number(chunk.offset());
      SecretMask.Masked text = chunk.text();
      out.raw(",\"bytes\":");
      out.number(text.consumed());
      if (text.hits() > 0) {
        out.raw(",\"masked\":");
        out.number(text.hits());
      }
      out.raw(",\"data\":");
      boolean _ = out.bytes(text.bytes(), text.from(), text.to());
      out.raw('}');
      at = log.commit(start, kind);
      if (at == 0) {
        head.dropped(log.isOverCap());
        return 0;
      }
    }
    head.recorded(chunk, all);
    return at;
  }

  @Override
  public void finished(String exec) {
    lock.lock();
    try {
      if (!closed) {
        finish(exec);
        log.write(false);
      }
    } finally {
      lock.unlock();
    }
  }

  private void finish(String exec) {
    execs.finish(
        exec,
        (kind, head) -> {
          byte[] held = head.held();
          if (held.length > 0) {
            record(head, held, kind, exec, true);
          }
          if (head.untold() > 0) {
            tell(head, head.full() ? "cap" : "lost", kind, exec, head.told() + head.untold());
          }
        });
  }

  /** Tells that the stream was not recorded up to {@code offset}; false when that was dropped. */
  private boolean tell(StreamHead head, String reason, String kind, String exec, long offset) {
    long at =
        log.gap(
            reason,
            Map.of(
                "exec",
                exec,
                "stream",
                Kinds.streamName(kind),
                "offset",
                head.told(),
                "bytes",
                offset - head.told()));
    if (at == 0) {
      head.dropped(log.isOverCap());
      return false;
    }
    head.jump(offset);
    return true;
  }

  void flush() {
    lock.lock();
    try {
      log.write(false);
    } finally {
      lock.unlock();
    }
  }

  boolean closeIdleFile() {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return log.closeIdleFile();
    } finally {
      lock.unlock();
    }
  }

  /** Bytes of the file that hold whole, final lines. */
  long written() {
    return log.written();
  }

  boolean isClosed() {
    return closed;
  }

  /** Waits until the file is longer than {@code position}, it is closed, or {@code enough}. */
  void await(long position, BooleanSupplier enough) throws InterruptedException {
    lock.lock();
    try {
      while (log.written() <= position && !closed && !enough.getAsBoolean()) {
        progress.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The file has grown; called with the lock held. */
  void progressed() {
    progress.signalAll();
  }

  /** Lets waiting readers look again. */
  void wake() {
    lock.lock();
    try {
      progress.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    end(true);
  }

  /** The process ends, the sandbox does not: open streams stay open for the next process. */
  void detach() {
    end(false);
  }

  private void end(boolean complete) {
    lock.lock();
    try {
      if (!closed) {
        if (complete) {
          execs.names().forEach(this::finish);
          log.complete();
        }
        log.close();
        closed = true;
        progress.signalAll();
      }
    } finally {
      lock.unlock();
    }
    whenClosed.accept(this);
  }
}
