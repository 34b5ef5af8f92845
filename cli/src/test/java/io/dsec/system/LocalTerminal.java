// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.link.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A dsec command on a terminal of its own, as a person would sit before it. */
final class LocalTerminal implements AutoCloseable {
  /** Told by the bridge in place of 0 when the command left the terminal in other modes. */
  static final int MODES_LEFT_CHANGED = 99;

  /** Holds the terminal: types and resizes as its input says line by line, shows on its output. */
  private static final String BRIDGE =
      """
      import base64, fcntl, json, os, pty, select, struct, sys, termios
      def size(fd, cols, rows):
          fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
      master, slave = pty.openpty()
      size(master, 90, 30)
      before = termios.tcgetattr(slave)
      child = os.fork()
      if child == 0:
          os.close(master)
          os.login_tty(slave) if hasattr(os, "login_tty") else (os.setsid(),
              fcntl.ioctl(slave, termios.TIOCSCTTY, 0), [os.dup2(slave, fd) for fd in (0, 1, 2)])
          os.execvp(sys.argv[1], sys.argv[1:])
      os.set_blocking(master, False)
      orders, typed, ended = b"", b"", None
      while ended is None:
          reads = [master] + ([0] if len(typed) < 1 << 20 else [])
          readable, writable, _ = select.select(reads, [master] if typed else [], [], 0.02)
          if master in readable:
              os.write(1, os.read(master, 65536))
          if writable:
              try:
                  typed = typed[os.write(master, typed[:4096]):]
              except BlockingIOError:
                  pass
          if 0 in readable:
              more = os.read(0, 1 << 20)
              if not more:
                  sys.exit(98)
              *lines, orders = (orders + more).split(b"\\n")
              for order in map(json.loads, lines):
                  typed += base64.b64decode(order.get("type", ""))
                  if "cols" in order:
                      size(master, order["cols"], order["rows"])
          if not readable and not typed:
              pid, status = os.waitpid(child, os.WNOHANG)
              ended = os.waitstatus_to_exitcode(status) if pid else None
      sys.exit(ended if termios.tcgetattr(slave) == before else 99)
      """;

  private final Process bridge;
  private final OutputStream orders;
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

  private LocalTerminal(Process bridge) {
    this.bridge = bridge;
    this.orders = bridge.getOutputStream();
    Thread reader = Thread.ofVirtual().start(this::read);
    assert reader.isAlive() || !bridge.isAlive();
  }

  /** 90 columns, 30 rows. */
  static LocalTerminal run(Path home, DsecProcess dsec, String... args) {
    ProcessBuilder command = DsecProcess.command(home, List.of(), args);
    List<String> line = new ArrayList<>(List.of("python3", "-c", BRIDGE));
    line.addAll(command.command());
    command.environment().put("DSEC_URL", dsec.url());
    command.environment().put("DSEC_API_KEY", dsec.key());
    command.environment().put("TERM", "xterm");
    try {
      return new LocalTerminal(command.command(line).redirectErrorStream(true).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (InputStream in = bridge.getInputStream()) {
      byte[] buffer = new byte[1 << 16];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        synchronized (shown) {
          shown.write(buffer, 0, n);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String text() {
    synchronized (shown) {
      return shown.toString(ISO_8859_1);
    }
  }

  void awaitText(String text) {
    await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(text()).contains(text));
  }

  void type(String keys) {
    type(keys.getBytes(StandardCharsets.UTF_8));
  }

  void type(byte[] keys) {
    order(Map.of("type", Base64.getEncoder().encodeToString(keys)));
  }

  void resize(int cols, int rows) {
    order(Map.of("cols", cols, "rows", rows));
  }

  private void order(Map<String, ?> order) {
    try {
      orders.write((Json.mapper().writeValueAsString(order) + "\n").getBytes(ISO_8859_1));
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The command's exit code. */
  int exit() {
    try {
      if (!bridge.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("the command still runs, having shown " + text());
      }
      return bridge.exitValue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The terminal goes away under the command, as when the window of a terminal is closed. */
  @Override
  public void close() {
    try {
      orders.close();
    } catch (IOException _) {
      // it has ended
    }
  }
}
