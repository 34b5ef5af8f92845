// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.dsec.link.Json;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A terminal's WebSocket, spoken plainly. */
final class WebTerminal implements AutoCloseable, WebSocket.Listener {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final List<JsonNode> told = new CopyOnWriteArrayList<>();
  private final List<String> pongs = new CopyOnWriteArrayList<>();
  private final StringBuilder text = new StringBuilder();
  private volatile boolean reads = true;
  private volatile int closed;
  private final WebSocket socket;

  private WebTerminal(String url, String key) {
    socket =
        HTTP.newWebSocketBuilder()
            .header("Authorization", "Bearer " + key)
            .buildAsync(URI.create(url.replaceFirst("^http", "ws")), this)
            .join();
  }

  /** {@code query}: of the call, without the question mark. */
  static WebTerminal open(DsecProcess dsec, String sandbox, String query) {
    return new WebTerminal(
        dsec.url() + "/v1/sandboxes/" + sandbox + "/terminal?" + query, dsec.key());
  }

  @Override
  public void onOpen(WebSocket opened) {
    opened.request(1);
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    synchronized (shown) {
      shown.writeBytes(bytes);
    }
    if (reads) {
      from.request(1);
    }
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    text.append(data);
    if (last) {
      told.add(Json.mapper().readTree(text.toString()));
      text.setLength(0);
    }
    from.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer data) {
    pongs.add(UTF_8.decode(data).toString());
    from.request(1);
    return null;
  }

  /** What answers to pings brought back. */
  List<String> pongs() {
    return pongs;
  }

  void ping(String text) {
    WebSocket _ = socket.sendPing(ByteBuffer.wrap(text.getBytes(UTF_8))).join();
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
    closed = status;
    return null;
  }

  /** From now on nothing more is read; {@link #read} goes on. */
  void stall() {
    reads = false;
  }

  void read() {
    reads = true;
    socket.request(1);
  }

  void type(String keys) {
    type(keys.getBytes(UTF_8));
  }

  void type(byte[] keys) {
    for (int at = 0; at < keys.length; at += 32 << 10) {
      ByteBuffer piece = ByteBuffer.wrap(keys, at, Math.min(32 << 10, keys.length - at));
      WebSocket _ = socket.sendBinary(piece, true).join();
    }
  }

  void say(Map<String, ?> order) {
    WebSocket _ = socket.sendText(Json.mapper().writeValueAsString(order), true).join();
  }

  void resize(int cols, int rows) {
    say(Map.of("resize", Map.of("cols", cols, "rows", rows)));
  }

  byte[] bytes() {
    synchronized (shown) {
      return shown.toByteArray();
    }
  }

  int size() {
    synchronized (shown) {
      return shown.size();
    }
  }

  String text() {
    return new String(bytes(), UTF_8);
  }

  /** Waits until it shows this. */
  void awaitText(String expected) {
    await()
        .alias("the terminal shows " + expected)
        .atMost(20, TimeUnit.SECONDS)
        .pollInterval(java.time.Duration.ofMillis(10))
        .until(() -> text().contains(expected));
  }

  private JsonNode awaitTold(String name, int seconds) {
    return await()
        .alias(name)
        .atMost(seconds, TimeUnit.SECONDS)
        .pollInterval(java.time.Duration.ofMillis(10))
        .until(() -> told(name), found -> found != null);
  }

  @Nullable JsonNode told(String name) {
    return told.stream().filter(n -> n.has(name)).map(n -> n.path(name)).findFirst().orElse(null);
  }

  String id() {
    return awaitTold("start", 10).path("id").asString("");
  }

  JsonNode error() {
    return awaitTold("error", 10);
  }

  JsonNode ending() {
    return awaitTold("end", 60).path("ending");
  }

  int closeStatus() {
    return await().atMost(10, TimeUnit.SECONDS).until(() -> closed, status -> status != 0);
  }

  /** Drops the connection without a word. */
  @Override
  public void close() {
    socket.abort();
  }
}
