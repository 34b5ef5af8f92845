// SPDX-License-Identifier: Apache-2.0
package io.dsec.node;

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
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.ProcessInfo;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.TerminalSize;
import io.dsec.model.Tier;
import io.dsec.node.admit.Admission;
import io.dsec.node.admit.DiskGate;
import io.dsec.node.channel.BufferPool;
import io.dsec.node.channel.ChannelSettings;
import io.dsec.node.channel.ChannelSupport;
import io.dsec.node.exec.CallerInput;
import io.dsec.node.exec.Exec;
import io.dsec.node.exec.PortConnection;
import io.dsec.node.exec.ProcessOutput;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.launch.Launcher;
import io.dsec.node.launch.LauncherSettings;
import io.dsec.node.launch.LauncherWatch;
import io.dsec.node.metrics.NodeMetrics;
import io.dsec.node.sandbox.Reconciler;
import io.dsec.node.sandbox.Sandbox;
import io.dsec.node.sandbox.SandboxSupport;
import io.dsec.node.sandbox.SandboxWatch;
import io.dsec.node.sandbox.Sandboxes;
import io.dsec.node.time.SystemTimers;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data plane of one host, wired by hand: everything that a node consists of is on this page.
 */
public final class Node implements NodeCommands, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Node.class);
  private static final int POOLED_BUFFERS = 32;
  private static final int UNDO_THREADS = 16;
  private static final long EXPIRY_MILLIS = 250;
  private static final Duration TO_EMPTY = Duration.ofSeconds(20);

  private final NodeConfig config;
  private final NodeEvents events;
  private final Clock clock;
  private final DataDirectory data;
  private final HostParts host;
  private final Admission admission;
  private final Launcher launcher;
  private final Sandboxes sandboxes;
  private final Reconciler reconciler;
  private final EventFeed feed;
  private final SystemTimers timers = new SystemTimers();
  private final ExecutorService undo =
      Executors.newFixedThreadPool(
          UNDO_THREADS, Thread.ofPlatform().daemon().name("undo-", 0).factory());
  private final BlockingCalls reclaim = new BlockingCalls(1);
  private final ScheduledExecutorService rounds =
      Executors.newScheduledThreadPool(
          2, Thread.ofPlatform().daemon().name("node-rounds-", 0).factory());
  private final AtomicLong obeyed = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Locks the data directory; nothing runs before {@link #start}. */
  public Node(
      NodeConfig config,
      HostParts.Maker parts,
      NodeEvents events,
      Clock clock,
      PrometheusRegistry registry) {
    this.config = config;
    this.events = events;
    this.clock = clock;
    data = DataDirectory.open(config.dataDir());
    host = parts.make(data.instance());
    NodeMetrics metrics = new NodeMetrics(registry);
    launcher =
        new Launcher(
            new LauncherSettings(config.guest(), data.launchSocket()),
            timers,
            new LauncherGroups(metrics));
    ChannelSupport channels =
        new ChannelSupport(
            new BufferPool(POOLED_BUFFERS), timers, ChannelSettings.DEFAULT, metrics::breach);
    SandboxSupport support =
        new SandboxSupport(
            data.instance(),
            data.epoch(),
            data.sandboxes(),
            host.dev(),
            host.cgroups(),
            host.layers(),
            host.images(),
            host.ids(),
            host.recordings(),
            launcher,
            channels,
            timers,
            clock,
            metrics,
            undo,
            reclaim,
            new Watch());
    DiskGate disk =
        new DiskGate(
            config.diskLimit(), () -> HostCapacity.diskUse(config.dataDir()), timers::nanos);
    admission = new Admission(HostCapacity.of(config), config.maxSandboxes(), disk);
    sandboxes = new Sandboxes(support, admission);
    reconciler = new Reconciler(support, sandboxes);
    feed = new EventFeed(events, sandboxes::report);
    metrics.sandboxes(sandboxes::states);
  }

  private final class Watch implements SandboxWatch {
    @Override
    public void changed(Sandbox sandbox) {
      feed.changed(sandbox.id());
    }

    @Override
    public void cleaned(Sandbox sandbox) {
      sandboxes.cleaned(sandbox);
    }
  }

  private final class LauncherGroups implements LauncherWatch {
    private final NodeMetrics metrics;

    private LauncherGroups(NodeMetrics metrics) {
      this.metrics = metrics;
    }

    @Override
    public void started(long pid) {
      host.cgroups().joinGuests(pid);
    }

    @Override
    public void restarted() {
      metrics.launcherRestarted();
    }
  }

  /** Takes over what an earlier process has left; commands may come afterwards. */
  public void start() {
    host.cgroups().prepare();
    host.layers().prepare();
    launcher.start();
    feed.start();
    reconciler.restore();
    sandboxes.reports().forEach(report -> feed.changed(report.id()));
    every(config.heartbeat(), this::beat);
    every(config.reconcile(), reconciler::round);
    every(Duration.ofMillis(EXPIRY_MILLIS), this::expire);
    log.info(
        "node {} (epoch {}) is up: {} cores and {} MiB to give, {} sandboxes taken over",
        data.instance(),
        data.epoch(),
        admission.capacity().cpu(),
        admission.capacity().memory() >> 20,
        sandboxes.live().size());
  }

  private void every(Duration period, Runnable task) {
    Future<?> _ =
        rounds.scheduleWithFixedDelay(
            () -> {
              try {
                task.run();
              } catch (RuntimeException e) {
                log.error("a round failed", e);
              }
            },
            period.toNanos(),
            period.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  private void beat() {
    events.beat(
        new Heartbeat(
            data.instance(),
            data.epoch(),
            clock.instant(),
            sandboxes.live().size(),
            sandboxes.free()));
  }

  private void expire() {
    Instant now = clock.instant();
    sandboxes.live().forEach(sandbox -> sandbox.expire(now));
  }

  @Override
  public NodeInfo info() {
    return new NodeInfo(
        data.instance(),
        data.epoch(),
        List.of(Tier.CONTAINER),
        Map.of(Tier.GVISOR, "not part of this release", Tier.MICROVM, "not part of this release"),
        admission.capacity(),
        host.layers().disk().name());
  }

  @Override
  public Placed place(Placement placement) {
    if (obeyed.accumulateAndGet(placement.epoch(), Math::max) > placement.epoch()) {
      throw DsecException.of(
          ErrorCode.CONFLICT,
          "the order for %s has the stale epoch %d".formatted(placement.id(), placement.epoch()));
    }
    if (placement.tier() != Tier.CONTAINER) {
      throw DsecException.of(
          ErrorCode.TIER_UNAVAILABLE, "this node has no tier " + placement.tier());
    }
    if (placement.spec().resources().gpu() > 0) {
      throw DsecException.of(ErrorCode.NO_CAPACITY, "this node has no GPU");
    }
    return sandboxes.place(placement);
  }

  @Override
  public boolean remove(SandboxId id, Duration grace, Reason reason) {
    return sandboxes.remove(id, grace, reason);
  }

  @Override
  public void renew(SandboxId id, Instant expiresAt) {
    sandboxes.renew(id, expiresAt);
  }

  @Override
  public SandboxReport pause(SandboxId id) {
    return sandboxes.pause(id);
  }

  @Override
  public SandboxReport resume(SandboxId id) {
    return sandboxes.resume(id);
  }

  @Override
  public void wake(SandboxId id, boolean mayResume) {
    sandboxes.wake(id, mayResume);
  }

  @Override
  public SandboxSpec copy(SandboxId parent, SandboxId copy, List<SandboxId> children) {
    return sandboxes.copy(parent, copy, children);
  }

  @Override
  public void dropCopy(SandboxId copy) {
    sandboxes.dropCopy(copy);
  }

  @Override
  public ExecResult exec(SandboxId id, ExecSpec spec, ExecListener listener) {
    return sandboxes.exec(id, spec, listener);
  }

  @Override
  public ProcessInfo start(SandboxId id, ExecSpec spec) {
    return sandboxes.start(id, spec);
  }

  @Override
  public List<ProcessInfo> processes(SandboxId id) {
    return sandboxes.execs(id).processes();
  }

  @Override
  public ProcessInfo process(SandboxId id, String process, Duration wait) {
    Exec found = sandboxes.execs(id).process(process);
    found.awaitEnd(wait);
    return found.info();
  }

  @Override
  public OutputCursor output(
      SandboxId id, String process, ExecListener.Stream stream, long offset, boolean follow) {
    return new ProcessOutput(sandboxes.execs(id).process(process), stream, offset, follow);
  }

  @Override
  public OutputCursor attach(SandboxId id, String process, long recent) {
    return sandboxes.execs(id).process(process).attach(recent);
  }

  @Override
  public void resize(SandboxId id, String process, TerminalSize size) {
    sandboxes.execs(id).process(process).resize(size);
  }

  @Override
  public ProcessInput input(SandboxId id, String process) {
    return new CallerInput(sandboxes.execs(id).process(process));
  }

  @Override
  public void signal(SandboxId id, String process, int signal, boolean group) {
    sandboxes.execs(id).process(process).signal(signal, group);
  }

  @Override
  public void forget(SandboxId id, String process) {
    sandboxes.execs(id).forget(process);
  }

  @Override
  public SandboxFiles files(SandboxId id, Optional<String> user) {
    return sandboxes.files(id, user);
  }

  @Override
  public Duplex connect(SandboxId id, int port) {
    return PortConnection.open(sandboxes.applets(id), port);
  }

  @Override
  public Optional<SandboxReport> report(SandboxId id) {
    return sandboxes.report(id);
  }

  @Override
  public List<SandboxReport> reports() {
    return sandboxes.reports();
  }

  @Override
  public void acknowledge(SandboxId id) {
    sandboxes.acknowledge(id);
  }

  @Override
  public TrajectoryCursor trajectory(SandboxId id, long fromSeq, boolean follow) {
    return host.recordings().read(id, fromSeq, follow);
  }

  /** Ends the node; sandboxes are removed or live on, as configured. Safe to repeat. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    rounds.shutdownNow();
    boolean empty = false;
    if (config.onClose() == NodeConfig.OnClose.REMOVE) {
      empty = sandboxes.removeAll(Reason.NODE_STOPPED, TO_EMPTY);
    } else {
      sandboxes.leaveAll();
    }
    launcher.close();
    feed.close();
    timers.close();
    undo.shutdown();
    reclaim.stop();
    if (empty) {
      host.cgroups().dispose();
      host.layers().dispose();
    }
    host.closing().close(empty);
    data.close();
  }
}
