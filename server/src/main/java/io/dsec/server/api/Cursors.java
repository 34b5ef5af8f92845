// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.server.store.Cursor;
import io.dsec.server.store.Times;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/** Cursors of lists that go from the newest to the oldest, as texts. */
final class Cursors {
  private Cursors() {}

  static String after(Instant createdAt, String id) {
    String text = Times.micros(createdAt) + ":" + id;
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }

  static Optional<Cursor> of(Exchange exchange) {
    return exchange.query("cursor").map(Cursors::read);
  }

  private static Cursor read(String text) {
    try {
      String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.US_ASCII);
      int at = plain.indexOf(':');
      return new Cursor(
          Times.instant(Long.parseLong(plain.substring(0, at))), plain.substring(at + 1));
    } catch (RuntimeException _) {
      throw DsecException.invalid("cursor", "cursor is not one that a list gave");
    }
  }
}
