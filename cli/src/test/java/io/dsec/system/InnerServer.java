// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.link.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A sandbox with {@code inner_server.py} on port 8000, and plain connections to it. */
record InnerServer(DsecProcess dsec, Box box) implements AutoCloseable {
  static InnerServer start(DsecProcess dsec) throws IOException {
    Box box = dsec.api().create();
    String script;
    try (InputStream in = InnerServer.class.getResourceAsStream("inner_server.py")) {
      script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertThat(
            box.run(Map.of("argv", List.of("sh", "-c", "cat > /tmp/s.py"), "stdin", script)).code())
        .isZero();
    Api.Reply started =
        dsec.api()
            .post(
                "/v1/sandboxes/" + box.id() + "/processes",
                Map.of("argv", List.of("python3", "/tmp/s.py", "8000")));
    assertThat(started.status()).as(started.text()).isEqualTo(201);
    InnerServer server = new InnerServer(dsec, box);
    await().atMost(20, SECONDS).until(() -> dsec.api().get(server.path("/")).status() == 200);
    return server;
  }

  /** {@code rest} begins with a slash. */
  String path(String rest) {
    return "/v1/sandboxes/" + box.id() + "/ports/8000" + rest;
  }

  /** What it has noticed. */
  JsonNode told(String name) {
    return Json.mapper().readTree(dsec.api().get(path("/told")).text()).path(name);
  }

  /** A connection with the server of DSec itself. */
  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), URI.create(dsec.url()).getPort());
    socket.setSoTimeout(60_000);
    return socket;
  }

  /** Sends the head of a GET. */
  void ask(Socket socket, String rest, String... fields) throws IOException {
    String head =
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
            .formatted(path(rest), dsec.key());
    for (String field : fields) {
      head += field + "\r\n";
    }
    socket.getOutputStream().write((head + "\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  /** A connection that is a WebSocket now, whatever goes over it. */
  Socket upgraded(String rest) throws IOException {
    Socket socket = connect();
    ask(
        socket,
        rest,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
    assertThat(head(socket.getInputStream()))
        .startsWith("HTTP/1.1 101 ")
        .containsIgnoringCase("\r\nUpgrade: websocket\r\n")
        .contains("X-Inner: yes");
    return socket;
  }

  /** Up to the empty line, read byte by byte: what follows is the caller's. */
  static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      assertThat(b).as("the connection ended after " + head).isNotNegative();
      head.append((char) b);
    }
    return head.toString();
  }

  @Override
  public void close() {
    box.close();
  }
}
