// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import io.dsec.link.Duplex;
import io.dsec.link.ExecListener;
import io.dsec.link.NodeCommands;
import io.dsec.link.OutputCursor;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.ProcessInfo;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.SandboxRecord;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.tenant.Caller;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs commands. Nothing on this path touches the database. */
public final class Execs {
  private final Catalog catalog;
  private final NodeDirectory nodes;
  private final Duration startWait;
  private final Presence presence;
  private final Clock clock;

  public Execs(
      Catalog catalog, NodeDirectory nodes, Duration startWait, Presence presence, Clock clock) {
    this.catalog = catalog;
    this.nodes = nodes;
    this.startWait = startWait;
    this.presence = presence;
    this.clock = clock;
  }

  /**
   * Runs one command to its end; a sandbox that is still starting is waited for. A command that
   * cannot start is an ending, or for a wrong directory, program or user an error of that code.
   */
  public ExecResult run(
      Caller caller, SandboxId id, boolean mayResume, ExecSpec spec, ExecListener listener)
      throws InterruptedException {
    return on(
        caller,
        id,
        mayResume,
        node -> {
          ExecResult result = node.exec(id, spec, listener);
          RefusedStart.check(result.ending());
          return result;
        });
  }

  /** Starts a command in the background; errors as of {@link #run}. */
  public ProcessInfo start(Caller caller, SandboxId id, boolean mayResume, ExecSpec spec)
      throws InterruptedException {
    return on(
        caller,
        id,
        mayResume,
        node -> {
          ProcessInfo started = node.start(id, spec);
          started.ending().ifPresent(RefusedStart::checkAll);
          return started;
        });
  }

  /** Reads a stream of a process; while it is open it counts as a call. */
  public OutputCursor output(
      Caller caller,
      SandboxId id,
      String process,
      ExecListener.Stream stream,
      long offset,
      boolean follow)
      throws InterruptedException {
    return reading(caller, id, node -> node.output(id, process, stream, offset, follow));
  }

  /**
   * Attaches to a terminal, as {@link io.dsec.link.ProcessCommands#attach}; a call while it is
   * open.
   */
  public OutputCursor attach(Caller caller, SandboxId id, String process, long recent)
      throws InterruptedException {
    return reading(caller, id, node -> node.attach(id, process, recent));
  }

  private OutputCursor reading(
      Caller caller, SandboxId id, Function<NodeCommands, OutputCursor> open)
      throws InterruptedException {
    OutputCursor cursor = look(caller, id, open);
    Runnable over = counted(id);
    return new OutputCursor() {
      @Override
      public long offset() {
        return cursor.offset();
      }

      @Override
      public @Nullable Piece next() {
        return cursor.next();
      }

      @Override
      public void close() {
        cursor.close();
        over.run();
      }
    };
  }

  /** A connection to a server inside; while it is open it counts as a call. */
  public Duplex connect(Caller caller, SandboxId id, boolean mayResume, int port)
      throws InterruptedException {
    Duplex inside = on(caller, id, mayResume, node -> node.connect(id, port));
    Runnable over = counted(id);
    return new Duplex() {
      @Override
      public InputStream input() {
        return inside.input();
      }

      @Override
      public OutputStream output() {
        return inside.output();
      }

      @Override
      public void close() {
        inside.close();
        over.run();
      }
    };
  }

  /** Something counts as a call from now until the result has run; it may run again. */
  private Runnable counted(SandboxId id) {
    Optional<Sandbox> sandbox = catalog.live(id);
    sandbox.ifPresent(s -> s.execs().incrementAndGet());
    AtomicBoolean over = new AtomicBoolean();
    return () -> {
      if (!over.getAndSet(true)) {
        sandbox.ifPresent(
            s -> {
              s.execs().decrementAndGet();
              s.touch(clock.instant());
            });
      }
    };
  }

  /** As with {@code mayResume}: a paused sandbox is resumed. */
  public <T> T on(Caller caller, SandboxId id, Function<NodeCommands, T> call)
      throws InterruptedException {
    return on(caller, id, true, call);
  }

  /**
   * Something that needs the processes of a sandbox. One that is paused is resumed for it; without
   * {@code mayResume} that is a {@code conflict}.
   */
  public <T> T on(Caller caller, SandboxId id, boolean mayResume, Function<NodeCommands, T> call)
      throws InterruptedException {
    return look(
        caller,
        id,
        node -> {
          node.wake(id, mayResume);
          return call.apply(node);
        });
  }

  /**
   * Something asked of the node of a sandbox that runs or is paused, and stays so: a sign of life
   * of it.
   */
  public <T> T look(Caller caller, SandboxId id, Function<NodeCommands, T> call)
      throws InterruptedException {
    Sandbox sandbox =
        catalog
            .live(id)
            .filter(s -> caller.mayUse(s.tenant()))
            .orElseThrow(() -> ended(catalog.record(caller, id)));
    NodeCommands node = node(sandbox);
    sandbox.execs().incrementAndGet();
    try {
      return call.apply(node);
    } finally {
      sandbox.execs().decrementAndGet();
      sandbox.touch(clock.instant());
    }
  }

  /** As {@link #on}, for what gives nothing back. */
  public void tell(Caller caller, SandboxId id, boolean mayResume, Consumer<NodeCommands> order)
      throws InterruptedException {
    boolean _ =
        on(
            caller,
            id,
            mayResume,
            node -> {
              order.accept(node);
              return true;
            });
  }

  /** A call that may read or write streams on the way. */
  public interface NodeCall<T> {
    T call(NodeCommands node) throws IOException;
  }

  /** As {@link #on}, for as long as the call takes. */
  public <T> T during(Caller caller, SandboxId id, NodeCall<T> call)
      throws IOException, InterruptedException {
    try {
      return on(
          caller,
          id,
          node -> {
            try {
              return call.call(node);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** As {@link NodeCall}, for what gives nothing back. */
  public interface NodeOrder {
    void call(NodeCommands node) throws IOException;
  }

  /** As {@link #during}. */
  public void tell(Caller caller, SandboxId id, NodeOrder order)
      throws IOException, InterruptedException {
    boolean _ =
        during(
            caller,
            id,
            node -> {
              order.call(node);
              return true;
            });
  }

  private NodeCommands node(Sandbox sandbox) throws InterruptedException {
    boolean settled = sandbox.settled() || settles(sandbox);
    SandboxRecord record = sandbox.record();
    if (!settled) {
      throw DsecException.of(
              ErrorCode.NO_CAPACITY,
              "sandbox %s is %s and does not run yet: %s"
                  .formatted(record.id(), lower(record.state()), record.change().message()))
          .withRetryAfter(Duration.ofSeconds(1));
    }
    if (record.state() != SandboxState.RUNNING && record.state() != SandboxState.PAUSED) {
      throw ended(record);
    }
    String name = record.node();
    return (name == null ? Optional.<Member>empty() : nodes.member(name))
        .map(Member::commands)
        .orElseThrow(
            () ->
                DsecException.of(ErrorCode.NO_CAPACITY, "the node of " + record.id() + " is away")
                    .withRetryAfter(Duration.ofSeconds(3)));
  }

  /** Waits for its start, for a caller that is there: nothing is begun for one that has left. */
  private boolean settles(Sandbox sandbox) throws InterruptedException {
    AtomicBoolean gone = new AtomicBoolean();
    Runnable leave =
        () -> {
          gone.set(true);
          sandbox.wake();
        };
    try (Presence.Watch _ = presence.watch(leave)) {
      boolean _ = sandbox.await(s -> s.settled() || gone.get(), startWait);
    }
    if (gone.get()) {
      throw DsecException.of(
          ErrorCode.CONFLICT, "the client left before sandbox %s ran".formatted(sandbox.id()));
    }
    return sandbox.settled();
  }

  private static DsecException ended(SandboxRecord record) {
    boolean failed = record.state() == SandboxState.FAILED;
    return DsecException.of(
            failed ? ErrorCode.SANDBOX_FAILED : ErrorCode.GONE,
            "sandbox %s is %s (%s) %s"
                .formatted(
                    record.id(),
                    lower(record.state()),
                    lower(record.change().reason()),
                    record.change().message())
                .strip())
        .withReason(record.change().reason());
  }

  private static String lower(Enum<?> value) {
    return io.dsec.link.Json.lower(value);
  }
}
