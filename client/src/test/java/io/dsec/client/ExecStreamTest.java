// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dsec.link.ExecListener;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExecStreamTest {
  private static final byte[] END =
      Records.json(4, "{\"id\":\"e-7\",\"ending\":{\"kind\":\"exited\",\"code\":3}}");

  /** Keeps what was told; bytes that follow each other are joined. */
  private static final class Told implements ExecListener {
    final List<String> ids = new ArrayList<>();
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long first = -1;

    @Override
    public void started(String id) {
      ids.add(id);
    }

    @Override
    public void output(Stream stream, long offset, ByteBuffer data) {
      if (first < 0) {
        first = offset;
      }
      assertThat(offset).isEqualTo(first + bytes.size());
      byte[] copy = new byte[data.remaining()];
      data.get(copy);
      bytes.writeBytes(copy);
    }
  }

  private static ExecResult follow(ExecListener listener, byte[]... records) throws IOException {
    return ExecStream.follow(new ByteArrayInputStream(Records.joined(records)), listener);
  }

  @Test
  void recordsSurviveAnyCut() throws IOException {
    byte[] big = new byte[600_000];
    for (int i = 0; i < big.length; i++) {
      big[i] = (byte) (i % 251);
    }
    long far = 5L << 30;
    byte[] whole =
        Records.joined(
            Records.json(1, "{\"id\":\"e-7\"}"),
            Records.output(0, far, big),
            Records.of(3, 0, 0, new byte[0]),
            Records.output(0, far + big.length, new byte[0]),
            Records.output(0, far + big.length, new byte[] {9}),
            END);
    for (int step : new int[] {1, 15, 16, 17, 100_003, 1 << 20}) {
      Told told = new Told();
      InputStream cut =
          new ByteArrayInputStream(whole) {
            @Override
            public int read(byte[] into, int offset, int length) {
              return super.read(into, offset, Math.min(step, length));
            }
          };
      assertThat(ExecStream.follow(cut, told).ending()).isEqualTo(new Ending.Exited(3));
      assertThat(told.ids).containsExactly("e-7");
      assertThat(told.first).isEqualTo(far);
      assertThat(told.bytes.toByteArray())
          .as("cut every %d bytes", step)
          .isEqualTo(Records.joined(big, new byte[] {9}));
    }
  }

  @Test
  void aTruncatedStreamHasNoResult() {
    byte[] whole = Records.joined(Records.output(0, 0, new byte[] {1, 2}), END);
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatExceptionOfType(EOFException.class)
          .isThrownBy(() -> follow(ExecListener.NONE, part))
          .withMessage("the stream ended without its end record");
    }
  }

  @Test
  void aBrokenHeaderIsAnError() {
    breaks(Records.of(9, 0, 0, new byte[0]), "no record is of kind 9");
    breaks(Records.output(2, 0, new byte[0]), "a header is none");
    breaks(Records.output(0, -1, new byte[0]), "a header is none");
    byte[] dirty = Records.output(0, 0, new byte[0]);
    dirty[3] = 1;
    breaks(dirty, "a header is none");
    breaks(Records.of(4, 0, 0, new byte[300_000]), "no output is 300000 bytes long");
  }

  private static void breaks(byte[] record, String how) {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> follow(ExecListener.NONE, record, END))
        .withMessageContaining("the stream is broken")
        .withMessageContaining(how);
  }
}
