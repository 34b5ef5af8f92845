// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.dsec.proto.guest.FromGuest;
import io.dsec.proto.guest.Stream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class FrameReaderTest {
  private final BufferPool pool = new BufferPool(4);

  @Test
  void anyCutOfAnyFramesGivesTheSameFrames() throws Exception {
    long seed = Long.getLong("dsec.seed", System.nanoTime());
    System.out.println("FrameReaderTest: replay with -Ddsec.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<byte[]> frames = new ArrayList<>();
      for (int i = random.nextInt(20); i >= 0; i--) {
        frames.add(body(random));
      }
      List<byte[]> read = new ArrayList<>();
      FrameReader reader = new FrameReader(pool);
      ByteBuffer stream = stream(frames);
      while (stream.hasRemaining()) {
        feed(reader, stream, random);
        for (Frame f = reader.next(); f != null; f = reader.next()) {
          byte[] bytes = new byte[f.body().remaining()];
          f.body().get(bytes);
          read.add(bytes);
          f.release();
        }
      }
      reader.close();
      assertThat(read).containsExactlyElementsOf(frames);
    }
  }

  private static byte[] body(RandomGenerator random) {
    int limit = random.nextInt(3) == 0 ? 400_000 : 1200;
    byte[] body = new byte[1 + random.nextInt(limit)];
    random.nextBytes(body);
    return body;
  }

  private static ByteBuffer stream(List<byte[]> frames) {
    ByteBuffer all = ByteBuffer.allocate(frames.stream().mapToInt(f -> 4 + f.length).sum());
    frames.forEach(f -> all.putInt(f.length).put(f));
    return all.flip();
  }

  /** What a read from a socket would do: anything from 1 byte to all the room there is. */
  private static void feed(FrameReader reader, ByteBuffer stream, RandomGenerator random) {
    ByteBuffer space = reader.space();
    int most = Math.min(space.remaining(), stream.remaining());
    int n = random.nextBoolean() ? most : 1 + random.nextInt(most);
    space.put(stream.slice(stream.position(), n));
    stream.position(stream.position() + n);
  }

  @Test
  void noiseNeverDoesMoreThanBreakItsConnection() {
    long seed = Long.getLong("dsec.seed", System.nanoTime());
    System.out.println("FrameReaderTest: replay with -Ddsec.seed=" + seed);
    Random random = new Random(seed);
    int broken = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] noise = new byte[1 + random.nextInt(300)];
      random.nextBytes(noise);
      noise[0] = 0x1a;
      ByteBuffer body = ByteBuffer.wrap(noise);
      try {
        Output output = OutputParser.parse(new Frame(body, null));
        assertThat(output.data().remaining()).isLessThanOrEqualTo(noise.length);
      } catch (ProtocolBreach _) {
        broken++;
      }
    }
    assertThat(broken).isPositive();
  }

  @Test
  void anOutputIsReadAsTheGeneratedParserReadsIt() throws Exception {
    Random random = new Random(3);
    for (int round = 0; round < 300; round++) {
      byte[] data = new byte[random.nextInt(5000)];
      random.nextBytes(data);
      FromGuest message =
          FromGuest.newBuilder()
              .setOutput(
                  io.dsec.proto.guest.Output.newBuilder()
                      .setExec(random.nextInt(3) == 0 ? 0 : random.nextLong(1L << 40))
                      .setStream(random.nextBoolean() ? Stream.STDOUT : Stream.STDERR)
                      .setOffset(random.nextLong(1L << 50))
                      .setData(ByteString.copyFrom(data)))
              .build();
      Output read = OutputParser.parse(new Frame(ByteBuffer.wrap(message.toByteArray()), null));
      assertThat(read.exec()).isEqualTo(message.getOutput().getExec());
      assertThat(read.stream()).isEqualTo(message.getOutput().getStreamValue());
      assertThat(read.offset()).isEqualTo(message.getOutput().getOffset());
      assertThat(read.data()).isEqualTo(ByteBuffer.wrap(data));
    }
  }

  @Test
  void aLengthOutOfBoundsIsABreach() {
    for (int length : new int[] {0, -1, Integer.MIN_VALUE, FrameReader.MAX_FRAME + 1}) {
      FrameReader reader = new FrameReader(pool);
      reader.space().putInt(length);
      assertThatThrownBy(reader::next).isInstanceOf(ProtocolBreach.class);
    }
  }

  @Test
  void anIdleReaderHoldsNoPooledBuffer() throws Exception {
    FrameReader reader = new FrameReader(pool);
    reader.space().putInt(100_000);
    assertThat(reader.next()).isNull();
    while (reader.space().hasRemaining()) {
      reader.space().put((byte) 1);
    }
    Frame frame = reader.next();
    assertThat(frame).isNotNull();
    assertThat(reader.space().capacity()).isLessThan(4096);
  }
}
