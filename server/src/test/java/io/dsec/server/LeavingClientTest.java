// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.link.OutputCursor;
import io.dsec.server.api.ApiSettings;
import io.dsec.server.reap.ReapSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a client leaves behind that went away, or never made sense. */
@Timeout(60)
final class LeavingClientTest {
  @TempDir Path data;
  private Rig rig;
  private String box;

  @BeforeEach
  void start() {
    ApiSettings quick =
        new ApiSettings(
            ApiSettings.DEFAULT.maxBody(),
            Duration.ofMillis(100),
            ApiSettings.DEFAULT.startWait(),
            ApiSettings.DEFAULT.stopWithin(),
            List.of());
    ReapSettings idle =
        new ReapSettings(Duration.ofHours(1), Duration.ZERO, Duration.ZERO, Duration.ofDays(1));
    rig = new Rig(data, c -> c.with(quick).with(idle), 1000, false);
    box = "/v1/sandboxes/" + rig.post("/v1/sandboxes", "{\"image\":\"host\"}").at("/id");
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private Socket send(String request, String... fields) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), rig.server().port());
    socket.setSoTimeout(20_000);
    String head =
        "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
            .formatted(request, rig.server().port(), rig.key());
    for (String field : fields) {
      head += field + "\r\n";
    }
    socket.getOutputStream().write((head + "\r\n").getBytes(US_ASCII));
    return socket;
  }

  /** Shows nothing until it is closed. */
  private static final class Silence implements OutputCursor {
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public long offset() {
      return 0;
    }

    @Override
    public @Nullable Piece next() {
      try {
        closed.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return null;
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  /** Its cursor is closed twice: by the beat that fails, and by the call that ends. */
  @Test
  void aFollowerThatLeavesIsOneCallLess() throws Exception {
    Silence output = new Silence();
    rig.node.onOutput = () -> output;
    try (Socket socket =
        send("GET " + box + "/processes/p/output?follow=true", "Accept: application/x-ndjson")) {
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      rig.server().reapNow();
      assertThat(rig.get(box).at("/state")).as("in use").isEqualTo("running");
      socket.setSoLinger(true, 0);
    }
    output.closed.await();
    await()
        .untilAsserted(
            () -> {
              rig.server().reapNow();
              assertThat(rig.get(box).text()).contains("idle_timeout");
            });
  }
}
