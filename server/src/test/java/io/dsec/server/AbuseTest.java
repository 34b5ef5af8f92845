// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.server.api.ApiSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that take much and give nothing: they cost what they hold open, and not for long. */
@Timeout(120)
final class AbuseTest {
  private static final int STREAMS = 2_000;

  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void start() {
    ApiSettings quick =
        new ApiSettings(
            ApiSettings.DEFAULT.maxBody(),
            Duration.ofMillis(200),
            ApiSettings.DEFAULT.startWait(),
            ApiSettings.DEFAULT.stopWithin(),
            List.of());
    rig = new Rig(data, c -> c.with(quick), 1000, false);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void twoThousandStreamsWhoseReaderGoesAwayLeaveNothing() throws IOException {
    String box = rig.post("/v1/sandboxes", "{\"image\":\"host\"}").at("/id");
    long before = descriptors();
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      sockets.add(open("GET /v1/sandboxes/" + box + "/events?follow=true HTTP/1.1\r\n"));
    }
    for (Socket socket : sockets) {
      socket.getOutputStream().write("\r\n".getBytes(US_ASCII));
    }
    for (Socket socket : sockets) {
      assertThat(firstLine(socket)).as("the head comes at once").startsWith("HTTP/1.1 200");
    }
    assertThat(rig.get("/v1/sandboxes/" + box).status()).isEqualTo(200);
    for (int i = 0; i < STREAMS; i++) {
      Socket socket = sockets.get(i);
      if (i % 2 == 0) {
        socket.setSoLinger(true, 0); // a reset in place of a goodbye
      }
      socket.close();
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(descriptors()).isLessThan(before + 50));
    assertThat(rig.get("/v1/sandboxes/" + box).status()).isEqualTo(200);
  }

  @Test
  void halfRequestsHoldNobodyUp() throws IOException {
    long before = descriptors();
    List<Socket> halves = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      Socket socket = open("POST /v1/sandboxes HTTP/1.1\r\n");
      if (i % 2 == 0) {
        socket.getOutputStream().write("Content-Length: 100\r\n\r\n{\"image\"".getBytes(US_ASCII));
      }
      halves.add(socket);
    }
    String box = rig.post("/v1/sandboxes", "{\"image\":\"host\"}").at("/id");
    assertThat(rig.get("/v1/sandboxes/" + box).at("/state")).isEqualTo("running");
    for (Socket socket : halves) {
      socket.close();
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(descriptors()).isLessThan(before + 50));
    assertThat(rig.get("/v1/sandboxes").at("/sandboxes/0/id"))
        .as("no half request made a sandbox")
        .isEqualTo(box);
    assertThat(rig.get("/v1/sandboxes").json().at("/sandboxes")).hasSize(1);
  }

  private Socket open(String line) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), rig.server().port());
    String head =
        "%sHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
            .formatted(line, rig.server().port(), rig.key());
    socket.getOutputStream().write(head.getBytes(US_ASCII));
    return socket;
  }

  private static String firstLine(Socket socket) throws IOException {
    socket.setSoTimeout(30_000);
    String line =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)).readLine();
    return line == null ? "" : line;
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }
}
