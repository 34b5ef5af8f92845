// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dsec.client.DsecClient;
import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** TCP connections with servers inside sandboxes, and {@code dsec port-forward}. */
@ExtendWith(SharedDsec.class)
class TunnelCasesTest {
  private static final String ECHO =
      """
      import socket, threading
      s = socket.create_server(("127.0.0.1", 8000), backlog=64)
      open("/tmp/ready", "w").close()
      def serve(c):
          try:
              while d := c.recv(65536):
                  c.sendall(d)
              c.sendall(b"bye")
          except OSError:
              open("/tmp/reset", "w").close()
          c.close()
      while True:
          threading.Thread(target=serve, args=(s.accept()[0],)).start()
      """;

  private final DsecProcess dsec;
  private final Box box;
  @TempDir private Path home;

  TunnelCasesTest(DsecProcess dsec) {
    this.dsec = dsec;
    this.box = dsec.api().create();
  }

  @AfterEach
  void remove() {
    box.close();
  }

  private void start(String... argv) {
    Api.Reply started =
        dsec.api().post("/v1/sandboxes/" + box.id() + "/processes", Map.of("argv", List.of(argv)));
    assertThat(started.status()).as(started.text()).isEqualTo(201);
  }

  private void echo() {
    start("python3", "-c", ECHO);
    await().atMost(20, SECONDS).until(() -> box.sh("test -e /tmp/ready").code() == 0);
  }

  private static byte[] random(int size, int seed) {
    byte[] data = new byte[size];
    new Random(seed).nextBytes(data);
    return data;
  }

  /** Sends all and then its end, while what comes back is compared to the very end. */
  private static boolean echoes(InputStream in, OutputStream out, Callable<Void> end, byte[] data)
      throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Void> sending =
          threads.submit(
              () -> {
                out.write(data);
                return end.call();
              });
      boolean same = Arrays.equals(in.readNBytes(data.length), data);
      Void _ = sending.get(10, SECONDS);
      return same && new String(in.readAllBytes(), US_ASCII).equals("bye");
    }
  }

  @Test
  void theJavaClientTunnelsBytesBothWays() throws Exception {
    echo();
    SandboxId id = new SandboxId(box.id());
    try (DsecClient client = dsec.api().client()) {
      try (Duplex tunnel = client.sandboxes().connect(id, 8000)) {
        OutputStream out = tunnel.output();
        assertThat(
                echoes(
                    tunnel.input(),
                    out,
                    () -> {
                      out.close();
                      return null;
                    },
                    random(50 << 20, 1)))
            .isTrue();
      }
      assertThatThrownBy(() -> client.sandboxes().connect(id, 8001))
          .isInstanceOfSatisfying(
              DsecException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
                assertThat(e.field()).contains("port");
              });
      assertThatThrownBy(() -> client.sandboxes().connect(id, 70_000))
          .isInstanceOfSatisfying(
              DsecException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
      assertThat(dsec.api().get("/v1/sandboxes/" + box.id() + "/tunnel?port=8000").code())
          .isEqualTo("invalid_request");
      try (Duplex tunnel = client.sandboxes().connect(id, 8000)) {
        tunnel.output().write(1);
        assertThat(tunnel.input().read()).isEqualTo(1);
        assertThat(connections()).isEqualTo(1);
      }
      await().atMost(10, SECONDS).until(() -> connections() == 0);
    }
  }

  /** Established ones of the server inside. */
  private int connections() {
    String count = "awk '$2 ~ /:1F40$/ && $4 == \"01\"' /proc/net/tcp | wc -l";
    return Integer.parseInt(box.sh(count).stdout().strip());
  }

  private Process forward(String... ports) throws IOException {
    List<String> args = new ArrayList<>(List.of("port-forward", "--url", dsec.url(), "--key"));
    args.add(dsec.key());
    args.add(box.id());
    args.addAll(List.of(ports));
    return DsecProcess.command(home, List.of(), args.toArray(String[]::new))
        .redirectError(home.resolve("err").toFile())
        .start();
  }

  private static int local(BufferedReader out, int inside) throws IOException {
    String line = out.readLine();
    assertThat(line).matches("127\\.0\\.0\\.1:\\d+ -> " + inside);
    return Integer.parseInt(line.replaceAll("127\\.0\\.0\\.1:(\\d+) .*", "$1"));
  }

  @Test
  void portForwardCarriesManyConnections() throws Exception {
    echo();
    start("python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", "/etc", "8080");
    Process command = forward("0:8000", "0:8080", "0:9999");
    try (BufferedReader out = command.inputReader();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      int port = local(out, 8000);
      int web = local(out, 8080);
      int nothing = local(out, 9999);
      List<Future<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        byte[] data = random(5 << 19, i);
        all.add(threads.submit(() -> echoes(port, data)));
      }
      for (Future<Boolean> each : all) {
        assertThat(each.get(60, SECONDS)).isTrue();
      }
      assertThat(echoes(port, random(50 << 20, 99))).isTrue();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + web + "/hostname")).build();
      await()
          .atMost(20, SECONDS)
          .ignoreExceptions()
          .until(
              () ->
                  HttpClient.newHttpClient()
                      .send(request, BodyHandlers.ofString())
                      .body()
                      .equals(box.sh("cat /etc/hostname").stdout()));
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), nothing)) {
        assertThat(socket.getInputStream().read()).isNegative();
      }
      assertThat(java.nio.file.Files.readString(home.resolve("err"), UTF_8))
          .contains("port 9999")
          .contains("refused");
      command.destroy();
      assertThat(command.waitFor(10, SECONDS)).isTrue();
      assertThat(command.exitValue()).isEqualTo(143);
      await().atMost(10, SECONDS).until(() -> connections() == 0);
    } finally {
      command.destroyForcibly();
    }
  }

  private static boolean echoes(int port, byte[] data) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return echoes(
          socket.getInputStream(),
          socket.getOutputStream(),
          () -> {
            socket.shutdownOutput();
            return null;
          },
          data);
    }
  }

  @Test
  void whatCannotBeForwardedIsTold() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(failure(1, taken.getLocalPort() + ":8000"))
          .contains("cannot listen on 127.0.0.1:" + taken.getLocalPort())
          .contains("LOCAL:8000");
    }
    assertThat(failure(2, "http")).contains("\"http\" is no [LOCAL:]PORT");
    assertThat(failure(2, "8000:0")).contains("\"8000:0\" is no [LOCAL:]PORT");
  }

  private String failure(int code, String ports) throws Exception {
    Process command = forward(ports);
    try {
      assertThat(command.waitFor(30, SECONDS)).isTrue();
      String said = java.nio.file.Files.readString(home.resolve("err"), UTF_8);
      assertThat(command.exitValue()).as(said).isEqualTo(code);
      return said;
    } finally {
      command.destroyForcibly();
    }
  }
}
