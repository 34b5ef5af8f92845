// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import com.google.protobuf.ByteString;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.node.channel.GuestLink;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.node.time.Timers;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Start;
import io.dsec.proto.guest.StdinWindow;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The applets of one sandbox: programs of the platform that run inside for files and connections.
 * Their numbers are beyond all that execs may have, and differ between processes of the node; what
 * an earlier process has left is ended.
 */
public final class Applets {
  public static final int MAX = 256;

  private static final long MARK = 1L << 62;
  private static final long EPOCHS = (1L << 30) - 1;

  /** For one left behind to see end-of-file and undo what it has begun. */
  private static final Duration TO_UNDO = Duration.ofSeconds(5);

  private final GuestLink link;
  private final Timers timers;
  private final String user;
  private final AtomicLong next;
  private final ConcurrentHashMap<Long, AppletStream> running = new ConcurrentHashMap<>(4);
  private volatile @Nullable LongFunction<Ending> closed;

  /** {@code user}: who they run as unless told otherwise. */
  public Applets(GuestLink link, Timers timers, String user, long epoch) {
    this.link = link;
    this.timers = timers;
    this.user = user;
    this.next = new AtomicLong(MARK | (epoch & EPOCHS) << 32);
  }

  /** Who they run as unless told otherwise. */
  public String user() {
    return user;
  }

  static boolean owns(long number) {
    return number > 0 && (number & MARK) != 0;
  }

  /**
   * Starts one; returns once it has.
   *
   * @param patience how long the guest may keep its reader or writer waiting; empty: for ever
   * @throws AppletRefused when it cannot do what it is for
   */
  public AppletStream open(
      Start.Applet applet, List<String> arguments, Optional<String> as, Optional<Duration> patience)
      throws IOException {
    long number = next.getAndIncrement();
    Start.Builder start =
        Start.newBuilder()
            .setExec(number)
            .setApplet(applet)
            .setUser(as.orElse(user))
            .setCwd(ByteString.copyFromUtf8("/"))
            .setStdin(true);
    arguments.forEach(argument -> start.addArgv(ByteString.copyFromUtf8(argument)));
    AppletStream stream =
        new AppletStream(number, start, link, timers, patience, () -> running.remove(number));
    if (running.size() >= MAX) {
      throw DsecException.of(
              ErrorCode.RATE_LIMITED,
              "%d transfers and connections are open in this sandbox".formatted(MAX))
          .withRetryAfter(Duration.ofSeconds(1));
    }
    running.put(number, stream);
    LongFunction<Ending> end = closed;
    if (end != null) {
      stream.end(end.apply(number));
    } else {
      stream.begin();
    }
    try {
      stream.awaitStart();
      return stream;
    } catch (IOException | RuntimeException e) {
      stream.close();
      throw e;
    }
  }

  /** Every one ends now, and every later one at once. */
  public void endAll(LongFunction<Ending> ending) {
    if (closed == null) {
      closed = ending;
    }
    running.forEach((number, stream) -> stream.end(ending.apply(number)));
  }

  /** After a Welcome that listed these. */
  void welcome(List<ExecStatus> listed) throws ProtocolBreach {
    Map<Long, ExecStatus> known = new HashMap<>();
    for (ExecStatus status : listed) {
      known.put(status.getExec(), status);
      if (!running.containsKey(status.getExec())) {
        leftBehind(status);
      }
    }
    for (Map.Entry<Long, AppletStream> one : running.entrySet()) {
      one.getValue().resume(known.get(one.getKey()));
    }
    link.flush();
  }

  private void leftBehind(ExecStatus status) {
    long number = status.getExec();
    link.send(Messages.endOfInput(number, status.getStdinReceived()));
    timers.after(TO_UNDO, () -> link.send(Messages.killAll(number, Messages.KILL)));
  }

  void started(long number) {
    AppletStream stream = running.get(number);
    if (stream != null) {
      stream.onStarted();
    }
  }

  void output(Output output) throws ProtocolBreach {
    AppletStream stream = running.get(output.exec());
    if (stream != null) {
      stream.onOutput(output);
    }
  }

  void ended(Ended ended) throws ProtocolBreach {
    AppletStream stream = running.get(ended.getExec());
    if (stream != null) {
      stream.onEnded(ended);
    } else {
      link.send(Messages.forget(ended.getExec()));
    }
  }

  void stdinWindow(StdinWindow window) {
    AppletStream stream = running.get(window.getExec());
    if (stream != null) {
      stream.onStdinWindow(window);
    }
  }
}
