// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dsec.model.FileSpec;
import io.dsec.node.channel.GuestLink;
import io.dsec.node.time.Timers;
import io.dsec.proto.guest.FileBegin;
import io.dsec.proto.guest.FileChunk;
import io.dsec.proto.guest.FileDone;
import io.dsec.proto.guest.ToGuest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Puts files into a sandbox through its channel. Writing the same files again does no harm. */
public final class FileWrites {
  private static final int CHUNK = 256 << 10;
  private static final int ATTEMPTS = 3;
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final GuestLink link;
  private final Timers timers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Long, FileSpec> waiting = new HashMap<>(4);
  private long next = 1;
  private @Nullable String refused;
  private boolean broken;
  private volatile boolean closed;

  public FileWrites(GuestLink link, Timers timers) {
    this.link = link;
    this.timers = timers;
  }

  /**
   * Returns once all are written.
   *
   * @throws IOException when init did not answer
   */
  public void write(List<FileSpec> files, String user) throws FilesRefused, IOException {
    for (int attempt = 1; !attempt(files, user); attempt++) {
      if (attempt == ATTEMPTS || closed) {
        throw new IOException("the sandbox's init did not take the files");
      }
    }
  }

  private boolean attempt(List<FileSpec> files, String user) throws FilesRefused {
    Timers.Handle deadline = timers.after(DEADLINE, this::interrupted);
    lock.lock();
    try {
      waiting.clear();
      refused = null;
      broken = closed;
      for (FileSpec file : files) {
        waiting.put(next, file);
        send(next++, file, user);
      }
      while (!waiting.isEmpty() && refused == null && !broken) {
        changed.awaitUninterruptibly();
      }
      if (refused != null) {
        throw new FilesRefused(refused);
      }
      return !broken;
    } finally {
      waiting.clear();
      lock.unlock();
      deadline.cancel();
    }
  }

  private void send(long op, FileSpec file, String user) {
    FileBegin begin =
        FileBegin.newBuilder()
            .setOp(op)
            .setPath(ByteString.copyFromUtf8(file.path()))
            .setMode(file.mode())
            .setUser(user)
            .build();
    link.send(ToGuest.newBuilder().setFileBegin(begin).build());
    ByteBuffer content = file.content().buffer();
    int sent = 0;
    do {
      int count = Math.min(CHUNK, content.limit() - sent);
      FileChunk chunk =
          FileChunk.newBuilder()
              .setOp(op)
              .setData(UnsafeByteOperations.unsafeWrap(content.slice(sent, count)))
              .setLast(sent + count == content.limit())
              .build();
      link.send(ToGuest.newBuilder().setFileChunk(chunk).build());
      sent += count;
    } while (sent < content.limit());
  }

  /** An answer of init; one that nobody waits for is ignored. */
  public void done(FileDone done) {
    lock.lock();
    try {
      FileSpec file = waiting.remove(done.getOp());
      if (file == null) {
        return;
      }
      if (done.getErrno() != 0) {
        refused =
            "%s cannot be written: %s (errno %d)"
                .formatted(file.path(), done.getMessage(), done.getErrno());
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The connection broke: whoever waits tries again. */
  public void interrupted() {
    lock.lock();
    try {
      broken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nothing more will be written. */
  public void close() {
    closed = true;
    interrupted();
  }
}
