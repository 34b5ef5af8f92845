// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.TerminalSize;
import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A program on a terminal, and this client attached to it. Closing leaves the program running; it
 * can be attached again by its id. Safe for use by several threads.
 */
public final class Terminal implements AutoCloseable {
  private static final int PIECE = 64 << 10;
  private static final Duration GOODBYE = Duration.ofSeconds(2);

  /** What the terminal tells, in order, one call at a time. A slow one holds the program up. */
  public interface Listener {
    /** {@code offset}: of the first byte that will come; not 0 when attached later. */
    default void started(String id, long offset) {}

    /** {@code data} is valid during the call only. */
    void output(ByteBuffer data);

    /** A size or a signal was refused; all else goes on. */
    default void refused(DsecException why) {}
  }

  private final String call;
  private final Transport transport;
  private final Listener listener;
  private final CompletableFuture<SandboxProcess> end = new CompletableFuture<>();
  private final CompletableFuture<WebSocket> opened = new CompletableFuture<>();

  private Terminal(Transport transport, String call, Listener listener) {
    this.transport = transport;
    this.call = call;
    this.listener = listener;
  }

  static Terminal open(Transport transport, String path, Listener listener) {
    Terminal terminal = new Terminal(transport, "GET " + path.replaceFirst("\\?.*", ""), listener);
    terminal.opened.complete(transport.webSocket(path, terminal.new Ear()));
    return terminal;
  }

  /** As if typed; waits while the program does not read. */
  public void type(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      int length = Math.min(PIECE, bytes.remaining());
      ByteBuffer piece = bytes.slice(bytes.position(), length);
      bytes.position(bytes.position() + length);
      send(socket -> socket.sendBinary(piece, true));
    }
  }

  public void resize(TerminalSize size) {
    order(Map.of("resize", Map.of("cols", size.cols(), "rows", size.rows())));
  }

  /** To the group in the foreground. */
  public void signal(String name) {
    order(Map.of("signal", name));
  }

  private void order(Map<String, ?> order) {
    String json = Replies.mapper().writeValueAsString(order);
    send(socket -> socket.sendText(json, true));
  }

  private interface Sending {
    CompletableFuture<WebSocket> by(WebSocket socket);
  }

  private synchronized void send(Sending sending) {
    try {
      WebSocket _ = sending.by(opened.join()).join();
    } catch (CompletionException | IllegalStateException e) {
      if (!end.isDone()) {
        throw transport.lost(call, new IOException("the connection is closed", e));
      }
    }
  }

  /** Waits for the program's end. */
  public SandboxProcess await() {
    try {
      return end.get();
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw transport.lost(call, new IOException(e));
    }
  }

  private RuntimeException failure(@Nullable Throwable cause) {
    return cause instanceof DsecException e
        ? e
        : transport.lost(call, cause instanceof IOException io ? io : new IOException(cause));
  }

  /** Detaches. */
  @Override
  public void close() {
    WebSocket socket = opened.join();
    try {
      Object _ =
          socket
              .sendClose(WebSocket.NORMAL_CLOSURE, "")
              .get(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException _) {
      // nobody is there to say goodbye to
    } finally {
      socket.abort();
    }
  }

  private final class Ear implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      listener.output(data);
      socket.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        hear(Replies.mapper().readTree(text.toString()));
        text.setLength(0);
      }
      socket.request(1);
      return null;
    }

    private void hear(JsonNode said) {
      if (said.has("start")) {
        JsonNode start = said.path("start");
        listener.started(start.path("id").asString(""), start.path("offset").asLong(0));
      } else if (said.has("error")) {
        listener.refused(ApiErrors.of(said, ErrorCode.INVALID_REQUEST, call + " was refused"));
      } else if (said.has("end")) {
        end.complete(Replies.as(said.path("end"), SandboxProcess.class));
      }
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      end.completeExceptionally(
          new IOException("the terminal was closed: %d %s".formatted(status, reason).strip()));
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      end.completeExceptionally(error);
    }
  }
}
