// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.ExecListener.Stream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class OutputLineTest {
  private final OutputLine output = new OutputLine();

  @Test
  void readsBothSpacingsOfTheLine() {
    assertThat(parse("{\"stdout\":\"aGk=\",\"offset\":12}")).isEqualTo(Stream.STDOUT);
    assertThat(StandardCharsets.US_ASCII.decode(output.data()).toString()).isEqualTo("hi");
    assertThat(output.offset()).isEqualTo(12);
    assertThat(parse("{\"stderr\": \"\", \"offset\": 0}")).isEqualTo(Stream.STDERR);
    assertThat(output.data().remaining()).isZero();
  }

  @Test
  void leavesEveryOtherShapeToTheGeneralParser() {
    assertThat(parse("{\"start\": {\"id\": \"e-1\"}}")).isNull();
    assertThat(parse("{\"stdout\": \"aGk=\"}")).isNull();
    assertThat(parse("{\"stdout\":\"aGk=\",\"offset\":1,\"more\":2}")).isNull();
    assertThat(parse("{\"stdout\":\"aGk=\",\"offset\":\"1\"}")).isNull();
    assertThat(parse("{\"stdout\":,\"offset\":1}")).isNull();
    assertThat(parse("{\"stdout\":\"offset\":1}")).isNull();
    assertThat(parse("{\"stdout\":")).isNull();
    assertThat(parse("}")).isNull();
  }

  private @org.jspecify.annotations.Nullable Stream parse(String line) {
    byte[] bytes = ("abc" + line + "\n").getBytes(StandardCharsets.US_ASCII);
    return output.parse(bytes, 3, bytes.length - 1);
  }
}
