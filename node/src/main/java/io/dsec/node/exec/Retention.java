// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.node.channel.GuestLink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;

/**
 * How long an exec stays known after its end: the youngest few do, to be looked up. init may forget
 * an awaited one once no child holds its streams; one in the background stays known there too, so
 * that the node's next process finds it.
 */
final class Retention {
  private static final int KEPT = 32;

  /** What they may hold in memory beside the youngest. */
  private static final int KEPT_BYTES = 64 << 10;

  /** What they may hold on disk beside the youngest. */
  private static final long KEPT_ON_DISK = SpoolBudget.SHARE / 4;

  private final ConcurrentMap<Long, Exec> execs;
  private final GuestLink link;

  /** Ended and kept, oldest first; with {@link #dismissed} guarded by {@code this}. */
  private final LinkedHashSet<Exec> over = new LinkedHashSet<>(4);

  /** No longer to be known, while whoever waits has not got the result. */
  private final Set<Exec> dismissed = new HashSet<>(4);

  /** {@code execs}: all that are known, by number. */
  Retention(ConcurrentMap<Long, Exec> execs, GuestLink link) {
    this.execs = execs;
    this.link = link;
  }

  /** How many have not ended. */
  synchronized int running() {
    return execs.size() - over.size();
  }

  synchronized boolean shows(Exec exec) {
    return !dismissed.contains(exec);
  }

  /** It ended, and whoever waited has its result. */
  void retire(Exec exec) {
    exec.rest();
    List<Exec> leaving = new ArrayList<>();
    synchronized (this) {
      if (!execs.containsKey(exec.number())) {
        return; // it never began
      }
      if (dismissed.contains(exec)) {
        leaving.add(exec);
      } else {
        over.add(exec);
      }
      int bytes = over.stream().mapToInt(Exec::inMemoryBytes).sum();
      long onDisk = over.stream().mapToLong(Exec::onDiskBytes).sum();
      while (over.size() > 1
          && (over.size() > KEPT || bytes > KEPT_BYTES || onDisk > KEPT_ON_DISK)) {
        Exec first = over.removeFirst();
        bytes -= first.inMemoryBytes();
        onDisk -= first.onDiskBytes();
        leaving.add(first);
      }
    }
    if (exec.settled()) {
      release(exec);
    }
    leaving.forEach(this::drop);
  }

  /** The last child that held a stream of it has closed it. */
  void complete(Exec exec) {
    if (retired(exec) && exec.settled()) {
      release(exec);
    }
  }

  private synchronized boolean retired(Exec exec) {
    return over.contains(exec);
  }

  /** Kills what is left of it. Its record goes with it, once whoever waits has the result. */
  void forget(Exec exec) {
    boolean retired;
    synchronized (this) {
      dismissed.add(exec);
      retired = over.contains(exec);
    }
    exec.killAll();
    if (retired) {
      drop(exec);
    }
  }

  void drop(Exec exec) {
    if (remove(exec)) {
      release(exec);
      exec.dispose(false);
    }
  }

  /** The result is stored where it belongs. */
  void handedOver(Exec exec, boolean keepSpool) {
    if (remove(exec)) {
      link.post(Messages.forget(exec.number()));
    }
    exec.dispose(keepSpool);
  }

  private synchronized boolean remove(Exec exec) {
    over.remove(exec);
    boolean known = execs.remove(exec.number(), exec);
    dismissed.remove(exec);
    return known;
  }

  private void release(Exec exec) {
    if (exec.release()) {
      link.post(Messages.forget(exec.number()));
    }
  }
}
