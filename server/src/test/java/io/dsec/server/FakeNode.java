// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import io.dsec.link.Duplex;
import io.dsec.link.ExecListener;
import io.dsec.link.Heartbeat;
import io.dsec.link.NodeCommands;
import io.dsec.link.NodeEvents;
import io.dsec.link.NodeInfo;
import io.dsec.link.OutputCursor;
import io.dsec.link.Placed;
import io.dsec.link.Placement;
import io.dsec.link.ProcessInput;
import io.dsec.link.SandboxFiles;
import io.dsec.link.SandboxReport;
import io.dsec.link.TrajectoryCursor;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Guarantee;
import io.dsec.model.ProcessInfo;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.model.TerminalSize;
import io.dsec.model.Tier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A node that runs nothing: it keeps to the contract of {@link NodeCommands}, and tests say how
 * starts and main commands go.
 */
@NullMarked
public final class FakeNode implements NodeCommands {
  final Map<SandboxId, Box> boxes = new ConcurrentHashMap<>();
  final ConcurrentLinkedQueue<Placement> placements = new ConcurrentLinkedQueue<>();
  final Set<SandboxId> acknowledged = ConcurrentHashMap.newKeySet();
  final Set<SandboxId> copies = ConcurrentHashMap.newKeySet();

  /** Decides the start: throws to refuse it. */
  volatile Function<Placement, Boolean> onPlace = _ -> true;

  /** The main command's result, or nothing: then it runs until {@link #finish}. */
  volatile Function<Placement, Optional<ExecResult>> onMain = _ -> Optional.of(exited(0, "done\n"));

  volatile ExecAnswer onExec = (spec, listener) -> answer(listener, String.join(" ", spec.argv()));

  /** What a process shows, and what answers on a port. */
  volatile Supplier<OutputCursor> onOutput =
      () -> {
        throw DsecException.notFound("process", "p");
      };

  volatile Supplier<Duplex> onConnect =
      () -> {
        throw notFaked();
      };

  volatile Supplier<ProcessInput> onInput =
      () -> {
        throw DsecException.notFound("process", "p");
      };

  final AtomicInteger started = new AtomicInteger();

  private final NodeEvents events;
  private final Clock clock;
  private final Guarantee capacity;
  private final boolean enforce;

  interface ExecAnswer {
    ExecResult run(ExecSpec spec, ExecListener listener);
  }

  FakeNode(NodeEvents events, Clock clock, Guarantee capacity, boolean enforce) {
    this.events = events;
    this.clock = clock;
    this.capacity = capacity;
    this.enforce = enforce;
  }

  static final class Box {
    final Placement order;
    final List<StateChange> history = new ArrayList<>();
    Instant expiresAt;
    @Nullable ExecResult main;

    Box(Placement order) {
      this.order = order;
      this.expiresAt = order.expiresAt();
    }
  }

  @Override
  public NodeInfo info() {
    return new NodeInfo(
        "n1",
        1,
        List.of(Tier.CONTAINER),
        Map.of(Tier.MICROVM, "no /dev/kvm here"),
        capacity,
        "fake");
  }

  void beat() {
    events.beat(new Heartbeat("n1", 1, clock.instant(), boxes.size(), capacity));
  }

  @Override
  public Placed place(Placement order) {
    placements.add(order);
    boolean _ = onPlace.apply(order);
    Box box = new Box(order);
    synchronized (this) {
      if (enforce && live() + order.spec().guaranteed().cpu() > capacity.cpu() + 1e-9) {
        throw DsecException.of(ErrorCode.NO_CAPACITY, "the node is full");
      }
      boxes.put(order.id(), box);
    }
    step(box, SandboxState.PREPARING, Reason.REQUESTED);
    step(box, SandboxState.RUNNING, Reason.REQUESTED);
    if (order.spec().isTask()) {
      onMain.apply(order).ifPresent(result -> finish(order.id(), result));
    }
    return new Placed(
        "n1", order.tier(), "host", clock.instant(), Duration.ofMillis(1), Duration.ofMillis(2));
  }

  synchronized double live() {
    return boxes.values().stream()
        .filter(b -> !b.history.isEmpty() && b.history.getLast().state().live())
        .mapToDouble(b -> b.order.spec().guaranteed().cpu())
        .sum();
  }

  /** The main command of this sandbox ended; the sandbox goes with it. */
  void finish(SandboxId id, ExecResult result) {
    Box box = boxes.get(id);
    if (box != null) {
      synchronized (this) {
        box.main = result;
      }
      step(box, SandboxState.STOPPING, Reason.FINISHED);
      step(box, SandboxState.GONE, Reason.FINISHED);
    }
  }

  /** The sandbox breaks. */
  void fail(SandboxId id, Reason reason) {
    Box box = boxes.get(id);
    if (box != null) {
      step(box, SandboxState.FAILED, reason);
      step(box, SandboxState.GONE, reason);
    }
  }

  private void step(Box box, SandboxState state, Reason reason) {
    SandboxReport report;
    synchronized (this) {
      box.history.add(new StateChange(state, reason, "", clock.instant()));
      report = report(box);
    }
    events.changed(report);
  }

  private SandboxReport report(Box box) {
    return new SandboxReport(
        box.order.id(),
        "n1",
        1,
        box.history,
        box.history.size(),
        box.expiresAt,
        Optional.ofNullable(box.main));
  }

  @Override
  public boolean remove(SandboxId id, Duration grace, Reason reason) {
    Box box = boxes.get(id);
    if (box == null || box.history.getLast().state() == SandboxState.GONE) {
      return false;
    }
    step(box, SandboxState.STOPPING, reason);
    step(box, SandboxState.GONE, reason);
    return true;
  }

  @Override
  public SandboxReport pause(SandboxId id) {
    Box box = box(id);
    if (box.history.getLast().state() == SandboxState.RUNNING) {
      step(box, SandboxState.PAUSED, Reason.REQUESTED);
    }
    return report(box);
  }

  @Override
  public SandboxReport resume(SandboxId id) {
    Box box = box(id);
    if (box.history.getLast().state() == SandboxState.PAUSED) {
      step(box, SandboxState.RUNNING, Reason.REQUESTED);
    }
    return report(box);
  }

  @Override
  public void wake(SandboxId id, boolean mayResume) {
    Box box = box(id);
    if (box.history.getLast().state() == SandboxState.PAUSED) {
      if (!mayResume) {
        throw DsecException.of(ErrorCode.CONFLICT, "paused");
      }
      step(box, SandboxState.RUNNING, Reason.WOKEN);
    }
  }

  @Override
  public SandboxSpec copy(SandboxId parent, SandboxId copy, List<SandboxId> children) {
    copies.add(copy);
    return box(parent).order.spec();
  }

  @Override
  public void dropCopy(SandboxId copy) {
    copies.remove(copy);
  }

  @Override
  public void renew(SandboxId id, Instant expiresAt) {
    box(id).expiresAt = expiresAt;
  }

  @Override
  public ExecResult exec(SandboxId id, ExecSpec spec, ExecListener listener) {
    Box _ = box(id);
    return onExec.run(spec, listener);
  }

  @Override
  public ProcessInfo start(SandboxId id, ExecSpec spec) {
    started.incrementAndGet();
    throw notFaked();
  }

  @Override
  public List<ProcessInfo> processes(SandboxId id) {
    return List.of();
  }

  @Override
  public ProcessInfo process(SandboxId id, String process, Duration wait) {
    throw DsecException.notFound("process", process);
  }

  @Override
  public OutputCursor output(
      SandboxId id, String process, ExecListener.Stream stream, long offset, boolean follow) {
    return onOutput.get();
  }

  @Override
  public OutputCursor attach(SandboxId id, String process, long recent) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void resize(SandboxId id, String process, TerminalSize size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ProcessInput input(SandboxId id, String process) {
    return onInput.get();
  }

  @Override
  public void signal(SandboxId id, String process, int signal, boolean group) {
    throw DsecException.notFound("process", process);
  }

  @Override
  public void forget(SandboxId id, String process) {}

  @Override
  public SandboxFiles files(SandboxId id, Optional<String> user) {
    throw notFaked();
  }

  @Override
  public Duplex connect(SandboxId id, int port) {
    return onConnect.get();
  }

  private static UnsupportedOperationException notFaked() {
    return new UnsupportedOperationException("processes are tested on a real node");
  }

  private Box box(SandboxId id) {
    Box box = boxes.get(id);
    if (box == null) {
      throw DsecException.notFound("sandbox", id.value());
    }
    return box;
  }

  @Override
  public synchronized Optional<SandboxReport> report(SandboxId id) {
    return Optional.ofNullable(boxes.get(id)).map(this::report);
  }

  @Override
  public synchronized List<SandboxReport> reports() {
    return boxes.values().stream().filter(b -> !b.history.isEmpty()).map(this::report).toList();
  }

  @Override
  public void acknowledge(SandboxId id) {
    acknowledged.add(id);
    boxes.remove(id);
  }

  @Override
  public TrajectoryCursor trajectory(SandboxId id, long fromSeq, boolean follow) {
    Iterator<String> lines =
        List.of("{\"seq\":1}", "{\"seq\":2}").stream().skip(fromSeq).iterator();
    return new TrajectoryCursor() {
      @Override
      public @Nullable String next() {
        return lines.hasNext() ? lines.next() : null;
      }

      @Override
      public void close() {}
    };
  }

  static ExecResult answer(ExecListener listener, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    listener.started("e-1");
    listener.output(ExecListener.Stream.STDOUT, 0, ByteBuffer.wrap(bytes));
    return exited(0, text);
  }

  static ExecResult exited(int code, String stdout) {
    return result(new Ending.Exited(code), Bytes.utf8(stdout));
  }

  static ExecResult result(Ending ending, Bytes stdout) {
    return new ExecResult(
        "e-1",
        ending,
        Set.of(),
        stdout,
        Bytes.EMPTY,
        stdout.length(),
        0,
        Duration.ofMillis(4),
        3,
        7);
  }
}
