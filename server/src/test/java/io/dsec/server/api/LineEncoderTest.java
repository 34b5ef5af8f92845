// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.ExecListener;
import io.dsec.link.Json;
import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.server.exec.ExecReply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class LineEncoderTest {
  /** Keeps what it is given, and of what size it came at most. */
  private static final class Wire extends ByteArrayOutputStream {
    private int largest;
    private boolean closed;

    @Override
    public synchronized void write(byte[] bytes, int from, int count) {
      largest = Math.max(largest, count);
      super.write(bytes, from, count);
    }

    @Override
    public void close() {
      closed = true;
    }

    JsonNode line(int index) {
      return Json.mapper().readTree(toString(US_ASCII).split("\n")[index]);
    }
  }

  private static ExecResult result(byte[] stdout) {
    return new ExecResult(
        "e-1",
        new Ending.Exited(0),
        Set.of(),
        Bytes.wrap(stdout),
        Bytes.EMPTY,
        stdout.length,
        0,
        Duration.ofMillis(1),
        1,
        2);
  }

  @Test
  void aLargeEndIsWrittenPieceByPiece() throws IOException {
    byte[] output = new byte[3 << 20];
    new Random(1).nextBytes(output);
    Wire wire = new Wire();
    try (LineEncoder encoder = new LineEncoder(wire)) {
      encoder.start("e-1");
      encoder.end(ExecReply.of(result(output)));
      assertThat(wire.closed).as("the encoder's to close").isFalse();
    }
    assertThat(wire.line(0).at("/start/id").asString("")).isEqualTo("e-1");
    assertThat(wire.line(1).at("/end/stdout_base64").binaryValue()).isEqualTo(output);
    assertThat(wire.toString(US_ASCII)).endsWith("}\n");
    assertThat(wire.largest).isLessThan(64 << 10);
  }

  @Test
  void aSmallEndIsOneWriteAndOutputsKeepTheirOffsets() throws IOException {
    Wire wire = new Wire();
    byte[] data = new byte[LineEncoder.PIECE + 5];
    new Random(2).nextBytes(data);
    try (LineEncoder encoder = new LineEncoder(wire)) {
      encoder.output(ExecListener.Stream.STDERR, 7, ByteBuffer.wrap(data));
      encoder.end(ExecReply.end(result(new byte[0])));
    }
    assertThat(wire.line(0).path("offset").asLong(0)).isEqualTo(7);
    assertThat(wire.line(1).path("offset").asLong(0)).isEqualTo(7 + LineEncoder.PIECE);
    assertThat(wire.line(1).path("stderr").binaryValue())
        .isEqualTo(java.util.Arrays.copyOfRange(data, LineEncoder.PIECE, data.length));
    assertThat(wire.line(2).at("/end/ending/code").asInt(-1)).isZero();
  }
}
