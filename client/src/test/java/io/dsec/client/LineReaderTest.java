// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LineReaderTest {
  @Test
  void findsTheSameLinesHoweverTheBytesArrive() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 30; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < 40; i++) {
        text.append("x".repeat(random.nextInt(i % 10 == 0 ? 200_000 : 40))).append('\n');
      }
      text.append("tail");
      assertThat(lines(new Dribble(text.toString(), random)))
          .as("seed %d", seed)
          .containsExactly(text.toString().split("\n", -1));
    }
  }

  @Test
  void anEmptyStreamHasNoLine() throws IOException {
    assertThat(lines(InputStream.nullInputStream())).isEmpty();
  }

  private static List<String> lines(InputStream in) throws IOException {
    LineReader reader = new LineReader(in);
    List<String> lines = new ArrayList<>();
    while (reader.next()) {
      lines.add(reader.text());
    }
    return lines;
  }

  /** Gives a few bytes at a time. */
  private static final class Dribble extends ByteArrayInputStream {
    private final Random random;

    Dribble(String text, Random random) {
      super(text.getBytes(StandardCharsets.US_ASCII));
      this.random = random;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int length) {
      return super.read(into, offset, Math.min(length, 1 + random.nextInt(50_000)));
    }
  }
}
