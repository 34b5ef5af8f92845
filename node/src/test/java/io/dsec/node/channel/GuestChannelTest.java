// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.Reason;
import io.dsec.node.time.SystemTimers;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.FromGuest;
import io.dsec.proto.guest.Late;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.Welcome;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The channel against a far end that the test plays, mostly a bad one. */
class GuestChannelTest implements GuestSession {
  private final SystemTimers timers = new SystemTimers();
  private final AtomicInteger breaches = new AtomicInteger();
  private final AtomicBoolean alive = new AtomicBoolean(true);
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final ChannelSettings settings =
      new ChannelSettings(
          Duration.ofMillis(500), List.of(Duration.ofMillis(1), Duration.ofMillis(5)), 3);
  private Path directory = Path.of("/");
  private Path socket = Path.of("/");

  /** One connection, as the far end sees it once it was greeted, as by init. */
  private interface Far {
    void serve(SocketChannel peer) throws IOException;
  }

  @BeforeEach
  void make() throws Exception {
    directory = Files.createTempDirectory("dsec-ch");
    socket = directory.resolve("s");
  }

  @AfterEach
  void clean() throws Exception {
    timers.close();
    Files.deleteIfExists(socket);
    Files.deleteIfExists(directory);
  }

  private ServerSocketChannel listen(Far far) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                for (; ; ) {
                  try (SocketChannel peer = server.accept()) {
                    serve(far, peer);
                  }
                }
              } catch (IOException _) {
                heard.add("server closed");
              }
            });
    return server;
  }

  private void serve(Far far, SocketChannel peer) {
    try {
      ByteBuffer hello = readFully(peer, readFully(peer, 4).getInt());
      assertThat(hello.hasRemaining()).isTrue();
      far.serve(peer);
    } catch (IOException e) {
      heard.add("peer " + e.getMessage());
    }
  }

  private static ByteBuffer readFully(SocketChannel peer, int count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    while (bytes.hasRemaining()) {
      if (peer.read(bytes) < 0) {
        throw new EOFException();
      }
    }
    return bytes.flip();
  }

  private GuestChannel channel() {
    return new GuestChannel(
        "sb",
        socket,
        this,
        alive::get,
        new ChannelSupport(new BufferPool(2), timers, settings, breaches::incrementAndGet));
  }

  private static void send(SocketChannel peer, FromGuest message) throws IOException {
    byte[] bytes = message.toByteArray();
    ByteBuffer out = ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).flip();
    while (out.hasRemaining()) {
      peer.write(out);
    }
  }

  private static FromGuest welcome(String sandbox) {
    return FromGuest.newBuilder()
        .setWelcome(Welcome.newBuilder().setVersion(1).setSandbox(sandbox))
        .build();
  }

  private static void drain(SocketChannel peer) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(1024);
    while (peer.read(bytes) >= 0) {
      bytes.clear();
    }
  }

  private void eventually(String what) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(5))
        .pollInterval(Duration.ofMillis(2))
        .untilAsserted(() -> assertThat(heard).contains(what));
  }

  @Test
  void aBrokenConnectionIsMadeAgain() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    try (ServerSocketChannel _ =
            listen(
                peer -> {
                  send(peer, welcome("sb"));
                  if (connections.incrementAndGet() == 2) {
                    send(
                        peer,
                        FromGuest.newBuilder().setStarted(Started.newBuilder().setExec(9)).build());
                    drain(peer);
                  }
                });
        GuestChannel channel = channel()) {
      channel.open();
      eventually("started 9");
      assertThat(channel.generation()).isEqualTo(2);
    }
  }

  @Test
  void aGuestThatOnlySendsNoiseCostsItsSandboxAndNothingElse() throws Exception {
    Random random = new Random(11);
    try (ServerSocketChannel _ =
            listen(
                peer -> {
                  send(peer, welcome("sb"));
                  byte[] noise = new byte[5000];
                  random.nextBytes(noise);
                  noise[0] = 0x7f;
                  ByteBuffer out = ByteBuffer.wrap(noise);
                  while (out.hasRemaining()) {
                    peer.write(out);
                  }
                  drain(peer);
                });
        GuestChannel channel = channel()) {
      channel.open();
      eventually("lost CHANNEL_BROKEN");
      assertThat(breaches.get()).isEqualTo(3);
    }
  }

  @Test
  void aDeadInitIsTold() throws Exception {
    ServerSocketChannel server = listen(peer -> send(peer, welcome("sb")));
    try (GuestChannel channel = channel()) {
      alive.set(false);
      try {
        channel.open();
      } catch (IOException _) {
        return; // noticed while the channel was being opened: whoever opens it is told
      }
      eventually("lost INIT_DIED");
    } finally {
      server.close();
    }
  }

  @Test
  void anotherSandboxIsNotSpokenTo() throws Exception {
    try (ServerSocketChannel _ = listen(peer -> send(peer, welcome("other")));
        GuestChannel channel = channel()) {
      assertThatThrownBy(channel::open).isInstanceOf(ProtocolBreach.class);
    }
  }

  @Test
  void anInitThatNeverAnswersIsGivenUp() throws Exception {
    try (ServerSocketChannel _ = listen(GuestChannelTest::drain);
        GuestChannel channel = channel()) {
      assertThatThrownBy(channel::open).isInstanceOf(IOException.class);
    }
  }

  @Override
  public void welcome(Welcome welcome) {}

  @Override
  public void started(Started started) {
    heard.add("started " + started.getExec());
  }

  @Override
  public void output(Output output) {}

  @Override
  public void ended(Ended ended) {}

  @Override
  public void stdinWindow(StdinWindow window) {}

  @Override
  public void late(Late late) {}

  @Override
  public void interrupted() {}

  @Override
  public void lost(Reason reason, String message) {
    heard.add("lost " + reason);
  }
}
