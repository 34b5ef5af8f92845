// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** WebSockets of servers inside sandboxes, and clients that leave. */
@ExtendWith(SharedDsec.class)
class PortSocketCasesTest {
  private final DsecProcess dsec;

  PortSocketCasesTest(DsecProcess dsec) {
    this.dsec = dsec;
  }

  /** Keeps the first message that comes. */
  private static final class Echo implements WebSocket.Listener {
    final CompletableFuture<byte[]> message = new CompletableFuture<>();
    final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final ByteArrayOutputStream parts = new ByteArrayOutputStream();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      return onBinary(socket, ByteBuffer.wrap(data.toString().getBytes(UTF_8)), last);
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      byte[] part = new byte[data.remaining()];
      data.get(part);
      parts.writeBytes(part);
      if (last) {
        message.complete(parts.toByteArray());
      }
      socket.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      closed.complete(status);
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      closed.completeExceptionally(error);
      message.completeExceptionally(error);
    }
  }

  private WebSocket open(InnerServer server, Echo echo) {
    URI uri =
        URI.create(
            dsec.url().replaceFirst("^http", "ws") + server.path("/ws/a%20b?x=%26&resume=0"));
    return HttpClient.newHttpClient()
        .newWebSocketBuilder()
        .header("Authorization", "Bearer " + dsec.key())
        .header("Cookie", "c=1")
        .buildAsync(uri, echo)
        .join();
  }

  @Test
  void aWebSocketReachesTheServerInsideWithoutTheKey() throws Exception {
    try (InnerServer server = InnerServer.start(dsec)) {
      Echo text = new Echo();
      WebSocket one = open(server, text);
      WebSocket _ = one.sendText("hällo", true).join();
      assertThat(new String(text.message.get(20, SECONDS), UTF_8)).isEqualTo("hällo");
      JsonNode seen = server.told("handshake");
      assertThat(seen.path("path").asString("")).isEqualTo("/ws/a%20b?x=%26&resume=0");
      assertThat(seen.path("headers").path("Host").asString("")).isEqualTo("localhost:8000");
      assertThat(seen.path("headers").path("Cookie").asString("")).isEqualTo("c=1");
      assertThat(seen.path("headers").path("X-Forwarded-Prefix").asString(""))
          .isEqualTo("/v1/sandboxes/" + server.box().id() + "/ports/8000");
      assertThat(seen.toString()).doesNotContain(dsec.key()).doesNotContainIgnoringCase("\"auth");
      Echo bytes = new Echo();
      byte[] data = random(60_000);
      WebSocket _ = open(server, bytes).sendBinary(ByteBuffer.wrap(data), true).join();
      assertThat(bytes.message.get(20, SECONDS)).isEqualTo(data);
      WebSocket _ = one.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
      await().atMost(10, SECONDS).until(one::isOutputClosed);
    }
  }

  @Test
  void aRefusedUpgradeIsPassedOnAndOursAreErrors() throws Exception {
    try (InnerServer server = InnerServer.start(dsec)) {
      assertThat(refused(server, "/nothing"))
          .startsWith("HTTP/1.1 404 ")
          .endsWith("\r\n\r\nno socket here");
      assertThat(refused(server, "/close")).startsWith("HTTP/1.1 502 ").contains("bad_gateway");
      String path = "/v1/sandboxes/" + server.box().id() + "/ports/8001/";
      assertThat(raw(path, "127.0.0.1", dsec.key()))
          .startsWith("HTTP/1.1 409 ")
          .contains("\"conflict\"")
          .contains("\"field\":\"port\"");
      assertThat(raw(path, "evil.test", dsec.key())).startsWith("HTTP/1.1 403 ");
      assertThat(raw(path, "127.0.0.1", "wrong")).startsWith("HTTP/1.1 401 ");
      assertThat(raw(path.replace("8001", "99999"), "127.0.0.1", dsec.key()))
          .startsWith("HTTP/1.1 400 ")
          .contains("\"field\":\"port\"");
    }
  }

  private String refused(InnerServer server, String rest) throws IOException {
    return raw(server.path(rest), "127.0.0.1", dsec.key());
  }

  /** All that comes until the connection ends. */
  private String raw(String path, String host, String key) throws IOException {
    try (Socket socket =
        new Socket(java.net.InetAddress.getLoopbackAddress(), URI.create(dsec.url()).getPort())) {
      socket.setSoTimeout(60_000);
      String head =
          """
          GET %s HTTP/1.1\r
          Host: %s\r
          Authorization: Bearer %s\r
          Connection: Upgrade\r
          Upgrade: websocket\r
          Sec-WebSocket-Version: 13\r
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
          \r
          """
              .formatted(path, host, key);
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static byte[] random(int size) {
    byte[] data = new byte[size];
    new Random(size).nextBytes(data);
    return data;
  }

  @Test
  void bytesGoBothWaysAndTheClientsEndIsPassedOn() throws Exception {
    try (InnerServer server = InnerServer.start(dsec);
        Socket socket = server.upgraded("/raw")) {
      byte[] data = random(50 << 20);
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(
              () -> {
                try {
                  socket.getOutputStream().write(data);
                  socket.shutdownOutput();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      InputStream in = socket.getInputStream();
      assertThat(java.util.Arrays.equals(in.readNBytes(data.length), data)).isTrue();
      sending.get(10, SECONDS);
      assertThat(new String(in.readAllBytes(), US_ASCII)).isEqualTo("bye");
    }
  }

  @Test
  void aReaderThatStallsHoldsUpItsServerAndALeavingOneEndsIt() throws Exception {
    try (InnerServer server = InnerServer.start(dsec)) {
      try (Socket socket = server.upgraded("/raw/flood")) {
        assertThat(socket.getInputStream().readNBytes(1 << 20)).hasSize(1 << 20);
        long[] last = {-1};
        await()
            .atMost(Duration.ofSeconds(30))
            .pollInterval(Duration.ofMillis(500))
            .until(
                () -> {
                  long now = server.told("sent").asLong(0);
                  boolean still = now == last[0];
                  last[0] = now;
                  return still;
                });
        assertThat(last[0]).as("a bound on what is under way").isLessThan(24 << 20);
        assertThat(server.told("raw").asInt(0)).isEqualTo(1);
      }
      await().atMost(15, SECONDS).until(() -> server.told("raw").asInt(-1) == 0);
      try (Socket socket = server.upgraded("/raw")) {
        assertThat(server.told("raw").asInt(0)).isEqualTo(1);
        socket.setSoLinger(true, 0);
      }
      await().atMost(5, SECONDS).until(() -> server.told("raw").asInt(-1) == 0);
    }
  }

  @Test
  void aRequestEndsWhenItsClientLeaves() throws Exception {
    try (InnerServer server = InnerServer.start(dsec)) {
      try (Socket plain = server.connect();
          Socket begun = server.connect();
          Socket socket = server.connect()) {
        server.ask(plain, "/hang");
        server.ask(begun, "/hang/begun");
        server.ask(socket, "/hang", "Connection: Upgrade", "Upgrade: websocket");
        assertThat(InnerServer.head(begun.getInputStream())).startsWith("HTTP/1.1 200 ");
        await().atMost(10, SECONDS).until(() -> server.told("hanging").asInt(0) == 3);
      }
      await().atMost(5, SECONDS).until(() -> server.told("hanging").asInt(-1) == 0);
    }
  }

  /** A watched client's next request may come before the answer to the one that is watched. */
  @Test
  void whatAWatchedClientSendsMeanwhileIsItsNextRequest() throws Exception {
    try (InnerServer server = InnerServer.start(dsec);
        Socket socket = server.connect()) {
      InputStream in = socket.getInputStream();
      for (int i = 0; i < 2; i++) {
        server.ask(socket, "/slow");
        assertThat(body(in)).isEqualTo("slow");
      }
      server.ask(socket, "/slow");
      server.ask(socket, "/slow");
      server.ask(socket, "/go");
      assertThat(body(in)).isEqualTo("slow");
      assertThat(body(in)).isEqualTo("slow");
      assertThat(body(in)).isEqualTo("went");
      socket.shutdownOutput();
      assertThat(in.read()).isNegative();
    }
  }

  /** Of a reply whose body has four bytes. */
  private static String body(InputStream in) throws IOException {
    assertThat(InnerServer.head(in)).startsWith("HTTP/1.1 200 ");
    return new String(in.readNBytes(4), US_ASCII);
  }
}
