// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.ExecListener.Stream;
import io.helidon.webserver.http.spi.Sink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of docs/api.md, "Exec". */
class RecordEncoderTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final RecordEncoder encoder = new RecordEncoder(new Pieces());

  private final class Pieces implements Sink<ByteBuffer> {
    @Override
    public Pieces emit(ByteBuffer piece) {
      assertThat(piece.position()).isGreaterThanOrEqualTo(ChunkSink.BEFORE);
      assertThat(piece.capacity() - piece.limit()).isGreaterThanOrEqualTo(ChunkSink.BEHIND);
      byte[] bytes = new byte[piece.remaining()];
      piece.duplicate().get(bytes);
      out.writeBytes(bytes);
      return this;
    }

    @Override
    public void close() {}
  }

  private String written() {
    String hex = HexFormat.ofDelimiter(" ").formatHex(out.toByteArray());
    out.reset();
    return hex;
  }

  @Test
  void aRecordIsItsHeaderAndItsBody() throws IOException {
    encoder.output(Stream.STDERR, 5, ByteBuffer.wrap("hi".getBytes(StandardCharsets.US_ASCII)));
    assertThat(written()).isEqualTo("02 01 00 00 00 00 00 02 00 00 00 00 00 00 00 05 68 69");
    encoder.output(Stream.STDOUT, 0x1_2345_6789L, ByteBuffer.allocateDirect(1));
    assertThat(written()).isEqualTo("02 00 00 00 00 00 00 01 00 00 00 01 23 45 67 89 00");
    encoder.output(Stream.STDOUT, 0, ByteBuffer.allocate(0));
    assertThat(written()).isEqualTo("02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    encoder.heartbeat();
    assertThat(written()).isEqualTo("03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
  }

  @Test
  void theStartIsJson() throws IOException {
    encoder.start("e-1");
    assertThat(out.toString(StandardCharsets.US_ASCII).substring(RecordEncoder.HEADER))
        .isEqualTo("{\"id\":\"e-1\"}");
    assertThat(written()).startsWith("01 00 00 00 00 00 00 0c 00 00 00 00 00 00 00 00 7b");
  }

  @Test
  void aPieceLargerThanAllBeforeIsWrittenWhole() throws IOException {
    encoder.output(Stream.STDOUT, 0, ByteBuffer.allocate(300_000));
    encoder.output(Stream.STDOUT, 300_000, ByteBuffer.allocate(7));
    assertThat(out.size()).isEqualTo(2 * RecordEncoder.HEADER + 300_007);
  }
}
