// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.socket.SocketContext;
import io.helidon.websocket.WsSession;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LiveSocketTest {
  private final List<String> done = new CopyOnWriteArrayList<>();

  private static final class Quiet extends LiveSocket {
    Quiet() {
      super("r-1");
    }

    @Override
    protected void begin() {}

    @Override
    protected void hear(byte[] text) {}

    @Override
    protected void gone() {}

    @Override
    public void onMessage(WsSession from, BufferData buffer, boolean last) {}
  }

  private final class Session implements WsSession {
    @Override
    public WsSession send(String text, boolean last) {
      return this;
    }

    @Override
    public WsSession send(BufferData bytes, boolean last) {
      return this;
    }

    @Override
    public WsSession ping(BufferData bytes) {
      return this;
    }

    @Override
    public WsSession pong(BufferData bytes) {
      return this;
    }

    @Override
    public WsSession close(int code, String reason) {
      done.add("closed with " + code);
      return this;
    }

    @Override
    public WsSession terminate() {
      return this;
    }

    @Override
    public SocketContext socketContext() {
      throw new UnsupportedOperationException();
    }
  }

  /** A frame of it in the middle of another's bytes would be neither. */
  @Test
  void aTextThatIsTooLongEndsItBetweenFrames() throws Exception {
    LiveSocket socket = new Quiet();
    Session session = new Session();
    socket.onOpen(session);
    CountDownLatch sending = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    Thread writer =
        Thread.ofPlatform()
            .start(
                () ->
                    socket.say(
                        _ -> {
                          sending.countDown();
                          try {
                            sent.await();
                          } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                          }
                          done.add("sent");
                        }));
    sending.await();
    Thread reader =
        Thread.ofPlatform().start(() -> socket.onMessage(session, "x".repeat(5_000), true));
    await()
        .until(
            () ->
                reader.getState() == Thread.State.WAITING
                    || reader.getState() == Thread.State.TERMINATED);
    sent.countDown();
    writer.join();
    reader.join();
    assertThat(done).containsExactly("sent", "closed with 1009");
  }
}
