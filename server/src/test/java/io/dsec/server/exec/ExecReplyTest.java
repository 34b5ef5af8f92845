// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Json;
import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class ExecReplyTest {
  private static JsonNode json(Bytes stdout) {
    ExecResult result =
        new ExecResult(
            "e-1",
            new Ending.Exited(0),
            Set.of(),
            stdout,
            Bytes.EMPTY,
            stdout.length(),
            0,
            Duration.ZERO,
            1,
            2);
    return Json.mapper().readTree(Json.mapper().writeValueAsBytes(ExecReply.of(result)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "plain\n", "quoted \"\\\u0000\u001b\u2028", "ä€😀"})
  void textIsText(String text) {
    assertThat(Bytes.utf8(text).isUtf8()).isTrue();
    assertThat(json(Bytes.utf8(text)).path("stdout").asString("?")).isEqualTo(text);
    assertThat(json(Bytes.utf8(text)).path("stdout_base64").isNull()).isTrue();
  }

  @Test
  void charactersAreWholeWhereverPiecesEnd() {
    for (int shift = 0; shift < 4; shift++) {
      String text = "x".repeat(shift) + "😀".repeat(50_000);
      assertThat(Bytes.utf8(text).isUtf8()).isTrue();
      assertThat(json(Bytes.utf8(text)).path("stdout").asString("?")).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8191, 8192, 8193, 100_000})
  void bytesThatAreNoTextComeTwice(int at) {
    byte[] bytes = "y".repeat(100_001).getBytes(StandardCharsets.US_ASCII);
    bytes[at] = (byte) 0xff;
    JsonNode reply = json(Bytes.wrap(bytes));
    assertThat(Bytes.wrap(bytes).isUtf8()).isFalse();
    assertThat(Bytes.base64(reply.path("stdout_base64").asString(""))).isEqualTo(Bytes.wrap(bytes));
    assertThat(reply.path("stdout").asString("?"))
        .isEqualTo(new String(bytes, StandardCharsets.UTF_8));
  }

  @Test
  void aCutCharacterIsNoText() {
    assertThat(Bytes.wrap(new byte[] {'a', (byte) 0xf0, (byte) 0x9f}).isUtf8()).isFalse();
  }
}
