// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import com.google.protobuf.InvalidProtocolBufferException;
import io.dsec.proto.guest.FromGuest;
import io.dsec.proto.guest.Hello;
import io.dsec.proto.guest.ToGuest;
import io.dsec.proto.guest.Welcome;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** One connected socket to an init. Read by one thread; sent to and closed by any. */
final class Connection implements AutoCloseable {
  static final int VERSION = 1;

  /** Messages other than Output are small; a bigger one would only cost memory to parse. */
  private static final int MAX_MESSAGE = 256 << 10;

  private final SocketChannel socket;
  private final FrameReader frames;
  private final Outbound outbound;
  private final long generation;

  private Connection(SocketChannel socket, BufferPool pool, long generation) {
    this.socket = socket;
    this.frames = new FrameReader(pool);
    this.outbound = new Outbound(socket, this::close);
    this.generation = generation;
  }

  static Connection open(Path path, BufferPool pool, long generation) throws IOException {
    return new Connection(SocketChannel.open(UnixDomainSocketAddress.of(path)), pool, generation);
  }

  long generation() {
    return generation;
  }

  void send(ToGuest message) {
    outbound.send(message);
  }

  void post(ToGuest message) {
    outbound.post(message);
  }

  void flush() {
    outbound.flush();
  }

  /** Says Hello and waits for the answer, which must come from {@code sandbox}. */
  Welcome greet(String sandbox) throws IOException {
    send(ToGuest.newBuilder().setHello(Hello.newBuilder().setVersion(VERSION)).build());
    Frame frame = read();
    FromGuest message = parse(frame.body());
    finish(frame);
    if (!message.hasWelcome()) {
      throw new ProtocolBreach("the guest's first message is " + message.getBodyCase());
    }
    Welcome welcome = message.getWelcome();
    if (welcome.getVersion() != VERSION) {
      throw new ProtocolBreach(
          "the guest speaks version %d, this node %d".formatted(welcome.getVersion(), VERSION));
    }
    if (!welcome.getSandbox().equals(sandbox)) {
      throw new ProtocolBreach("the guest of another sandbox answers at this socket");
    }
    return welcome;
  }

  /** Hands messages to {@code session} until the connection ends, always by an exception. */
  void receive(GuestSession session) throws IOException {
    for (; ; ) {
      Frame frame = read();
      outbound.heard();
      try {
        if (OutputParser.matches(frame.body())) {
          session.output(OutputParser.parse(frame));
        } else {
          dispatch(parse(frame.body()), session);
        }
      } finally {
        finish(frame);
      }
    }
  }

  private static void dispatch(FromGuest message, GuestSession session) throws ProtocolBreach {
    switch (message.getBodyCase()) {
      case STARTED -> session.started(message.getStarted());
      case ENDED -> session.ended(message.getEnded());
      case STDIN_WINDOW -> session.stdinWindow(message.getStdinWindow());
      case LATE -> session.late(message.getLate());
      case PONG -> {}
      case WELCOME, OUTPUT, BODY_NOT_SET ->
          throw new ProtocolBreach("the guest sent " + message.getBodyCase() + " out of place");
    }
  }

  private static FromGuest parse(ByteBuffer body) throws ProtocolBreach {
    if (body.remaining() > MAX_MESSAGE) {
      throw new ProtocolBreach("a message of %d bytes is no Output".formatted(body.remaining()));
    }
    try {
      return FromGuest.parseFrom(body.duplicate());
    } catch (InvalidProtocolBufferException e) {
      throw new ProtocolBreach("a message cannot be parsed: " + e.getMessage());
    }
  }

  private static void finish(Frame frame) {
    if (!frame.kept()) {
      frame.release();
    }
  }

  private Frame read() throws IOException {
    @Nullable Frame frame = frames.next();
    while (frame == null) {
      if (socket.read(frames.space()) < 0) {
        throw new EOFException("the guest closed the connection");
      }
      frame = frames.next();
    }
    return frame;
  }

  /** After the last read. */
  void dispose() {
    close();
    frames.close();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException _) {
      // the descriptor is gone all the same
    }
  }
}
