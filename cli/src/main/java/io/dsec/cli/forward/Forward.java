// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.forward;

import io.dsec.client.ConnectionException;
import io.dsec.client.Sandboxes;
import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A port of this machine's loopback that leads to one of a sandbox. */
public final class Forward implements AutoCloseable {
  private static final int PIECE = 64 << 10;
  private static final int BACKLOG = 256;
  private static final Duration RETRY = Duration.ofMillis(100);

  private final Sandboxes sandboxes;
  private final SandboxId sandbox;
  private final PortPair ports;
  private final ServerSocket server;
  private final PrintStream complain;

  private Forward(
      Sandboxes sandboxes,
      SandboxId sandbox,
      PortPair ports,
      ServerSocket server,
      PrintStream complain) {
    this.sandboxes = sandboxes;
    this.sandbox = sandbox;
    this.ports = ports;
    this.server = server;
    this.complain = complain;
  }

  /** Listens at once; connections that cannot be made inside are told on {@code complain}. */
  public static Forward listen(
      Sandboxes sandboxes, SandboxId sandbox, PortPair ports, PrintStream complain) {
    try {
      return listen(sandboxes, sandbox, ports, new ServerSocket(), complain);
    } catch (IOException e) {
      throw DsecException.of(
              ErrorCode.CONFLICT,
              "cannot listen on 127.0.0.1:%d: %s".formatted(ports.local(), e.getMessage()))
          .withHint("name another local port, LOCAL:%d, or 0 for any".formatted(ports.inside()))
          .withCause(e);
    }
  }

  static Forward listen(
      Sandboxes sandboxes,
      SandboxId sandbox,
      PortPair ports,
      ServerSocket server,
      PrintStream complain)
      throws IOException {
    try {
      server.bind(new InetSocketAddress(loopback(), ports.local()), BACKLOG);
    } catch (IOException e) {
      server.close();
      throw e;
    }
    Forward forward = new Forward(sandboxes, sandbox, ports, server, complain);
    Thread.ofVirtual().name("dsec-forward").start(forward::accept);
    return forward;
  }

  private static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }

  private void accept() {
    boolean fails = false;
    while (!server.isClosed()) {
      try {
        Socket local = server.accept();
        fails = false;
        Thread.ofVirtual().start(() -> serve(local));
      } catch (IOException e) {
        if (!fails && !server.isClosed()) {
          say("connections are not accepted now: " + e.getMessage());
        }
        fails = true;
        LockSupport.parkNanos(RETRY.toNanos()); // as while there is no descriptor left
      }
    }
  }

  private void serve(Socket local) {
    try (local) {
      local.setTcpNoDelay(true);
      serveInside(local);
    } catch (IOException e) {
      // one side broke off; closing both tells the other
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is said is said before the local side closes. */
  private void serveInside(Socket local) throws IOException, InterruptedException {
    try (Duplex inside = sandboxes.connect(sandbox, ports.inside())) {
      join(local, inside);
    } catch (DsecException e) {
      say(e.message());
    } catch (ConnectionException e) {
      say("no connection inside: " + e.getMessage());
    }
  }

  /** Each direction ends on its own; one that breaks ends both. */
  private static void join(Socket local, Duplex inside) throws IOException, InterruptedException {
    Thread up =
        Thread.ofVirtual()
            .start(
                () -> {
                  try (OutputStream out = inside.output()) {
                    copy(local.getInputStream(), out);
                  } catch (IOException e) {
                    inside.close();
                  }
                });
    try {
      copy(inside.input(), local.getOutputStream());
      local.shutdownOutput();
    } catch (IOException e) {
      local.setSoLinger(true, 0); // a reset: what came is not all there was
      local.close();
      throw e;
    }
    up.join();
  }

  private static void copy(InputStream from, OutputStream to) throws IOException {
    byte[] piece = new byte[PIECE];
    for (int n = from.read(piece); n >= 0; n = from.read(piece)) {
      to.write(piece, 0, n);
    }
    to.flush();
  }

  private void say(String what) {
    complain.println("dsec: " + what);
  }

  /** {@code 127.0.0.1:9000 -> 80}. */
  @Override
  public String toString() {
    return "127.0.0.1:%d -> %d".formatted(server.getLocalPort(), ports.inside());
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException _) {
      // the descriptor is gone all the same
    }
  }
}
