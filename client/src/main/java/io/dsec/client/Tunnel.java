// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.Duplex;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A TCP connection with a server inside a sandbox, over a WebSocket. */
final class Tunnel implements Duplex {
  private static final int PIECE = 64 << 10;

  /** Messages under way to a reader that is slow: no more are asked for. */
  private static final int AHEAD = 16;

  /** Empty: no more will come. */
  private final LinkedBlockingQueue<Optional<ByteBuffer>> came = new LinkedBlockingQueue<>();

  private final CompletableFuture<WebSocket> opened = new CompletableFuture<>();
  private final InputStream input = new Input();
  private final OutputStream output = new Output();
  private volatile @Nullable Throwable broken;
  private volatile boolean ended; // by the server inside
  private volatile boolean sentAll;

  private Tunnel() {}

  static Duplex open(Transport transport, String path) {
    Tunnel tunnel = new Tunnel();
    tunnel.opened.complete(transport.webSocket(path, tunnel.new Ear()));
    return tunnel;
  }

  @Override
  public InputStream input() {
    return input;
  }

  @Override
  public OutputStream output() {
    return output;
  }

  @Override
  public void close() {
    breakOff(new IOException("the tunnel was closed"));
    opened.join().abort();
  }

  private void breakOff(Throwable cause) {
    if (broken == null) {
      broken = cause;
    }
    came.add(Optional.empty());
  }

  private IOException failure() {
    return new IOException("the connection inside broke", broken);
  }

  private final class Input extends InputStream {
    private ByteBuffer current = ByteBuffer.allocate(0);
    private boolean over;

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int count) throws IOException {
      if (count == 0) {
        return 0;
      }
      while (!current.hasRemaining() && !over) {
        next();
      }
      if (over) {
        if (!ended) {
          throw failure();
        }
        return -1;
      }
      int size = Math.min(count, current.remaining());
      current.get(into, from, size);
      return size;
    }

    private void next() throws IOException {
      Optional<ByteBuffer> piece;
      try {
        piece = came.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      if (piece.isPresent()) {
        current = piece.get();
        opened.join().request(1);
      } else {
        over = true;
      }
    }
  }

  private final class Output extends OutputStream {
    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] data, int from, int count) throws IOException {
      if (sentAll) {
        throw new IOException("this direction was ended");
      }
      for (int at = from; at < from + count; at += PIECE) {
        send(ByteBuffer.wrap(data, at, Math.min(PIECE, from + count - at)));
      }
    }

    private void send(ByteBuffer piece) throws IOException {
      try {
        WebSocket _ = opened.join().sendBinary(piece, true).join();
      } catch (CompletionException e) {
        breakOff(e);
        throw failure();
      }
    }

    @Override
    public void close() throws IOException {
      if (sentAll) {
        return;
      }
      sentAll = true;
      try {
        WebSocket _ = opened.join().sendText("{\"end\": {}}", true).join();
      } catch (CompletionException e) {
        if (!ended) {
          breakOff(e);
          throw failure();
        }
      }
    }
  }

  private final class Ear implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public void onOpen(WebSocket socket) {
      socket.request(AHEAD);
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      ByteBuffer piece = ByteBuffer.allocate(data.remaining());
      came.add(Optional.of(piece.put(data).flip()));
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        JsonNode said = Replies.mapper().readTree(text.toString());
        text.setLength(0);
        if (said.has("end")) {
          ended = true;
          came.add(Optional.empty());
        }
      }
      socket.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      breakOff(new IOException("it was closed: %d %s".formatted(status, reason)));
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      breakOff(error);
    }
  }
}
