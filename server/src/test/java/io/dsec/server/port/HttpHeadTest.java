// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.DsecException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class HttpHeadTest {
  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String lines(String... lines) {
    return String.join("\r\n", lines);
  }

  private static String body(String text) throws Exception {
    InputStream in = bytes(text);
    HttpHead head = HttpHead.read(in);
    return new String(HttpBody.of(head, in).readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void whatSpeaksOfTheConnectionStays() throws Exception {
    HttpHead head =
        HttpHead.read(
            bytes(
                lines(
                    "HTTP/1.1 200 OK",
                    "Connection: close, X-Mine",
                    "x-mine: 1",
                    "Keep-Alive: 5",
                    "Transfer-Encoding: chunked",
                    "Set-Cookie: a=1",
                    "Set-Cookie: b=2",
                    "",
                    "")));
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.endToEnd())
        .containsExactly(
            new HttpHead.Field("Set-Cookie", "a=1"), new HttpHead.Field("Set-Cookie", "b=2"));
  }

  @Test
  void bodiesOfAllKinds() throws Exception {
    assertThat(body("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef")).isEqualTo("abc");
    assertThat(body("HTTP/1.0 200 OK\n\nto the end")).isEqualTo("to the end");
    assertThat(
            body(
                lines(
                    "HTTP/1.1 200 OK",
                    "transfer-encoding: Chunked",
                    "",
                    "3;x=y",
                    "abc",
                    "0A",
                    "0123456789",
                    "0",
                    "Trailer: 1",
                    "",
                    "")))
        .isEqualTo("abc0123456789");
  }

  @Test
  void oneThatBreaksOffOrLiesIsAnError() {
    assertThatThrownBy(() -> body("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"))
        .isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"))
        .isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> body("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"))
        .isInstanceOf(DsecException.class);
    assertThatThrownBy(() -> body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc"))
        .isInstanceOf(DsecException.class);
    assertThatThrownBy(() -> HttpHead.read(bytes("x".repeat(100_000))))
        .isInstanceOf(DsecException.class);
    assertThatThrownBy(() -> HttpHead.read(bytes("SSH-2.0\r\n\r\n")).status())
        .isInstanceOf(DsecException.class)
        .hasMessageContaining("SSH-2.0");
  }

  @Test
  void whatGoesInIsChunkedWhenItsLengthIsUnknown() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    HttpBody.copyChunked(bytes("hello"), out);
    assertThat(out.toString(StandardCharsets.US_ASCII)).isEqualTo("5\r\nhello\r\n0\r\n\r\n");
  }
}
