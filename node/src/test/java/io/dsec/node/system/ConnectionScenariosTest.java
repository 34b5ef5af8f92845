// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.link.Duplex;
import io.dsec.link.ExecListener;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecSpec;
import io.dsec.model.ProcessInfo;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections to servers inside. */
class ConnectionScenariosTest extends SharedNode {
  private static final String ECHO =
      """
      import socket, threading
      s = socket.create_server(("127.0.0.1", 8000))
      print("ready", flush=True)
      def serve(c):
          while d := c.recv(65536):
              c.sendall(d)
          c.sendall(b"bye")
          c.close()
      while True:
          threading.Thread(target=serve, args=(s.accept()[0],)).start()
      """;

  private void serve(SandboxId id, String program) {
    ProcessInfo server = node().node.start(id, ExecSpec.of(List.of("python3", "-c", program)));
    try (var out = node().node.output(id, server.id(), ExecListener.Stream.STDOUT, 0, true)) {
      assertThat(out.next()).isNotNull();
    }
  }

  @Test
  void bothDirectionsFlowAndEachEndsOnItsOwn() throws Exception {
    SandboxId id = node().create();
    serve(id, ECHO);
    byte[] sent = new byte[20 << 20];
    new Random(1).nextBytes(sent);
    try (Duplex connection = node().node.connect(id, 8000)) {
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(
              () -> {
                try (OutputStream out = connection.output()) {
                  out.write(sent);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      InputStream in = connection.input();
      assertThat(in.readNBytes(sent.length)).isEqualTo(sent);
      writing.get(10, TimeUnit.SECONDS);
      assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo("bye");
    }
    node().remove(id);
  }

  @Test
  void whatTheServerSaysAfterItsOwnEndOfSendingIsHeard() throws Exception {
    SandboxId id = node().create();
    serve(
        id,
        """
        import socket
        s = socket.create_server(("::1", 8000), family=socket.AF_INET6)
        print("ready", flush=True)
        while True:
            c = s.accept()[0]
            c.sendall(b"hello")
            c.shutdown(socket.SHUT_WR)
            open("/tmp/got", "wb").write(c.recv(100))
            c.close()
        """);
    try (Duplex connection = node().node.connect(id, 8000)) {
      assertThat(new String(connection.input().readAllBytes(), UTF_8)).isEqualTo("hello");
      connection.output().write("later".getBytes(UTF_8));
      connection.output().close();
    }
    assertThat(
            node()
                .exec(id, "sh", "-c", "until [ -s /tmp/got ]; do sleep 0.01; done; cat /tmp/got")
                .stdout()
                .lossyText())
        .isEqualTo("later");
    node().remove(id);
  }

  @Test
  void aPortWhereNothingListensSaysSoAndConnectionsAreBounded() {
    SandboxId id = node().create();
    assertThatThrownBy(() -> node().node.connect(id, 9))
        .isInstanceOfSatisfying(
            DsecException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
              assertThat(e.message()).contains("port 9").contains("refused");
            });
    node().remove(id);
    assertThatThrownBy(() -> node().node.connect(id, 9))
        .isInstanceOfSatisfying(
            DsecException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GONE));
  }

  @Test
  void aConnectionEndsWithItsSandbox() throws Exception {
    SandboxId id = node().create();
    serve(id, ECHO);
    try (Duplex connection = node().node.connect(id, 8000)) {
      connection.output().write(1);
      assertThat(connection.input().read()).isEqualTo(1);
      node().remove(id);
      assertThatThrownBy(() -> connection.input().read()).isInstanceOf(IOException.class);
    }
  }
}
