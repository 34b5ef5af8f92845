// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Tty;
import io.dsec.client.ConnectionException;
import io.dsec.client.DsecClient;
import io.dsec.client.Processes;
import io.dsec.client.SandboxProcess;
import io.dsec.client.Terminal;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs one program on a terminal, joined to the one that the command itself runs on, and gives its
 * exit code. The local terminal is raw meanwhile and restored however this ends.
 */
final class TerminalRun {
  private static final int PIECE = 64 << 10;
  private static final byte CTRL_D = 4;

  /** The size is looked at this often: Java hears no SIGWINCH. */
  private static final Duration LOOK = Duration.ofMillis(100);

  private final DsecClient client;
  private final Surroundings around;
  private final AtomicReference<@Nullable String> process = new AtomicReference<>();

  TerminalRun(DsecClient client, Surroundings around) {
    this.client = client;
    this.around = around;
  }

  /** {@code typing}: standard input is passed on; else the terminal only shows. */
  int run(SandboxId sandbox, ExecSpec spec, boolean typing) {
    Optional<Tty> tty = Tty.ofStdin();
    TerminalSize size = tty.map(Tty::size).orElse(TerminalSize.DEFAULT);
    ExecSpec program = withTerm(spec).onTerminal(size);
    Optional<Tty.Raw> raw = typing ? tty.map(Tty::raw) : Optional.empty();
    CountDownLatch over = new CountDownLatch(1);
    try (OnExit.Step _ = around.onExit().push(() -> raw.ifPresent(Tty.Raw::close));
        OnExit.Step _ = around.onExit().push(() -> end(sandbox));
        Terminal terminal =
            client.sandboxes().terminal(sandbox, program, new Screen(around.terminal().out()))) {
      if (typing) {
        daemon("dsec-typing", () -> type(terminal, tty.isPresent()));
      }
      tty.ifPresent(t -> daemon("dsec-size", () -> watch(t, size, terminal, over)));
      return Exit.of(ending(terminal.await()));
    } finally {
      over.countDown();
      raw.ifPresent(Tty.Raw::close);
    }
  }

  private static Ending ending(SandboxProcess ended) {
    return Processes.ending(ended)
        .orElseThrow(() -> new IllegalStateException("the terminal closed before its program"));
  }

  private ExecSpec withTerm(ExecSpec spec) {
    String term = around.terminal().environment().getOrDefault("TERM", "");
    boolean take = !term.isEmpty() && !term.equals("dumb") && !spec.env().containsKey("TERM");
    return take ? spec.withEnv("TERM", term) : spec;
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = Thread.ofPlatform().name(name).daemon().start(task);
    assert thread.isDaemon();
  }

  private void type(Terminal terminal, boolean fromTerminal) {
    byte[] buffer = new byte[PIECE];
    InputStream in = around.terminal().in();
    try {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        terminal.type(ByteBuffer.wrap(buffer, 0, n));
      }
      if (!fromTerminal) {
        terminal.type(ByteBuffer.wrap(new byte[] {CTRL_D})); // the end of a file, as if typed
      }
    } catch (IOException | ConnectionException _) {
      // The program's end, or that of the connection, is told by who waits for it.
    }
  }

  private static void watch(Tty tty, TerminalSize first, Terminal terminal, CountDownLatch over) {
    TerminalSize known = first;
    try {
      while (!over.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        TerminalSize now = tty.size();
        if (!now.equals(known)) {
          known = now;
          terminal.resize(now);
        }
      }
    } catch (ConnectionException _) {
      // told by who waits for the end
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** As when the line of a remote login drops. */
  private void end(SandboxId sandbox) {
    String id = process.get();
    if (id == null) {
      return;
    }
    try {
      client.sandboxes().processes(sandbox).remove(id);
    } catch (DsecException | ConnectionException _) {
      // It has ended, or goes with its sandbox or its connection.
    }
  }

  private final class Screen implements Terminal.Listener {
    private final OutputStream out;

    Screen(OutputStream out) {
      this.out = out;
    }

    @Override
    public void started(String id, long offset) {
      process.set(id);
    }

    @Override
    public void output(ByteBuffer data) {
      try {
        int _ = Channels.newChannel(out).write(data);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write to the terminal", e);
      }
    }
  }
}
