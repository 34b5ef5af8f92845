// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.link.Duplex;
import io.dsec.link.OutputCursor;
import io.dsec.link.ProcessInput;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.server.api.ApiSettings;
import io.dsec.server.reap.ReapSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** A server inside that has said all it will, or nothing yet; what it is sent is dropped. */
  private static final class Inside implements Duplex {
    private final CountDownLatch closed = new CountDownLatch(1);
    private final InputStream input;

    Inside(String reply, boolean goesOn) {
      InputStream said = new ByteArrayInputStream(reply.getBytes(US_ASCII));
      this.input = goesOn ? new SequenceInputStream(said, new Silent()) : said;
    }

    private final class Silent extends InputStream {
      @Override
      public int read() throws IOException {
        return read(new byte[1], 0, 1);
      }

      @Override
      public int read(byte[] into, int from, int count) throws IOException {
        try {
          closed.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        throw new IOException("closed");
      }
    }

    @Override
    public InputStream input() {
      return input;
    }

    @Override
    public OutputStream output() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  private String told(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), US_ASCII);
  }

  /** Whatever the rest of the body is, it is not the next request. */
  @Test
  void anAnswerInTheMiddleOfAnUploadIsTheConnectionsLast() throws Exception {
    rig.node.onConnect = () -> new Inside("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno", true);
    try (Socket socket = send("POST " + box + "/ports/80/", "Content-Length: 100")) {
      socket.getOutputStream().write("half".getBytes(US_ASCII));
      assertThat(told(socket)).startsWith("HTTP/1.1 413 ").endsWith("\r\n\r\nno");
    }
    rig.node.onConnect = () -> new Inside("", false);
    try (Socket socket = send("POST " + box + "/ports/80/", "Content-Length: 100")) {
      socket.getOutputStream().write("half".getBytes(US_ASCII));
      assertThat(told(socket)).startsWith("HTTP/1.1 502 ").contains("\"bad_gateway\"");
    }
  }

  @Test
  void anUploadThatBreaksOffEndsItsConnectionInside() throws Exception {
    for (String framing : List.of("Content-Length: 100", "Transfer-Encoding: chunked")) {
      for (boolean reset : List.of(true, false)) {
        Inside inside = new Inside("", true);
        rig.node.onConnect = () -> inside;
        try (Socket socket = send("POST " + box + "/ports/80/", framing)) {
          socket.getOutputStream().write("4\r\nhalf\r\n".getBytes(US_ASCII));
          socket.setSoLinger(reset, 0);
        }
        assertThat(inside.closed.await(10, SECONDS)).as(framing + " " + reset).isTrue();
      }
    }
  }

  /** A reply to an upgrade that is neither a refusal with an end nor a WebSocket. */
  @Test
  void anAnswerWithoutEndIsNotKeptForAClientThatLeft() throws Exception {
    Inside inside = new Inside("HTTP/1.1 200 OK\r\n\r\n", true);
    rig.node.onConnect = () -> inside;
    try (Socket socket =
        send("GET " + box + "/ports/80/", "Connection: Upgrade", "Upgrade: websocket")) {
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }
    assertThat(inside.closed.await(10, SECONDS)).isTrue();
  }

  private static final class Full implements ProcessInput {
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public long give(long offset, Bytes data, boolean end) {
      try {
        closed.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      throw DsecException.of(ErrorCode.CONFLICT, "closed");
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  /** What has come of the body already is no sign of life. */
  @Test
  void inputThatNobodyReadsIsNotHeldForAClientThatLeft() throws Exception {
    for (int size : List.of(10, 900 << 10)) {
      Full input = new Full();
      rig.node.onInput = () -> input;
      try (Socket socket = send("POST " + box + "/processes/p/stdin", "Content-Length: " + size)) {
        socket.getOutputStream().write(new byte[size]);
      }
      assertThat(input.closed.await(10, SECONDS)).as(size + " bytes").isTrue();
    }
  }

  @Test
  void whatWaitsForASandboxToStartIsNotBegunForAClientThatLeft() throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    rig.node.onPlace =
        _ -> {
          try {
            start.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return true;
        };
    rig.node.onExec =
        (_, listener) -> {
          begun.incrementAndGet();
          return FakeNode.answer(listener, "ran");
        };
    String slow =
        "/v1/sandboxes/"
            + rig.post("/v1/sandboxes", "{\"image\":\"host\",\"wait\":false}").at("/id");
    String body = "{\"argv\":[\"true\"]}";
    try (Socket socket = send("POST " + slow + "/exec", "Content-Length: " + body.length())) {
      socket.getOutputStream().write(body.getBytes(US_ASCII));
    }
    await()
        .until(
            () ->
                rig.get("/metrics")
                    .text()
                    .lines()
                    .anyMatch(l -> l.contains("{id}/exec") && l.contains("\"409\"")));
    start.countDown();
    assertThat(rig.get(slow + "?wait=running").at("/state")).isEqualTo("running");
    assertThat(begun).hasValue(0);
    assertThat(rig.post(slow + "/exec", body).at("/stdout")).isEqualTo("ran");
  }

  @Test
  void aMalformedHandshakeStartsNothing() throws Exception {
    for (List<String> fields :
        List.of(
            List.of("Sec-WebSocket-Version: 13"),
            List.of("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: short"),
            List.of("Sec-WebSocket-Version: 8", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))) {
      List<String> all = new ArrayList<>(List.of("Connection: Upgrade", "Upgrade: websocket"));
      all.addAll(fields);
      try (Socket socket = send("GET " + box + "/terminal", all.toArray(String[]::new))) {
        assertThat(told(socket))
            .startsWith("HTTP/1.1 400 ")
            .contains("\r\nDsec-Error: invalid_request\r\n", "\"invalid_request\"");
      }
    }
    assertThat(rig.node.started).hasValue(0);
  }
}
