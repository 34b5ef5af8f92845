// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import java.io.ByteArrayOutputStream;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Paths as requests give them: exact bytes, whether they are UTF-8 or not. */
final class FilePlace {
  private static final int MAX = 4095;

  private FilePlace() {}

  /** Percent-encoded in the query; what is encoded need not be UTF-8. */
  static Bytes inQuery(Exchange exchange, String name) {
    Optional<String> raw = exchange.rawQuery(name);
    if (raw.isEmpty()) {
      throw DsecException.invalid(name, "%s is missing; name an absolute path".formatted(name));
    }
    return checked(name, decode(name, raw.get()));
  }

  /** A JSON field, or the field beside it with base64 for what is not UTF-8. */
  static Bytes inBody(String name, @Nullable String text, @Nullable String base64) {
    if ((text == null) == (base64 == null)) {
      throw DsecException.invalid(
          name, "give either %s or %s_base64, an absolute path".formatted(name, name));
    }
    return checked(
        name,
        text != null ? Bytes.utf8(text) : Base64Text.decode(name, Objects.requireNonNull(base64)));
  }

  private static Bytes checked(String name, Bytes path) {
    byte[] bytes = path.toArray();
    if (bytes.length == 0 || bytes[0] != '/' || bytes.length > MAX) {
      throw DsecException.invalid(
          name,
          "%s is \"%s\"; it must be an absolute path of at most %d bytes"
              .formatted(name, shown(path), MAX));
    }
    for (byte b : bytes) {
      if (b == 0) {
        throw DsecException.invalid(name, "%s has a NUL byte".formatted(name));
      }
    }
    return path;
  }

  private static String shown(Bytes path) {
    String text = path.lossyText();
    return text.length() <= 200 ? text : text.substring(0, 200) + "…";
  }

  /** {@code %41+b} becomes {@code A b}. */
  static Bytes decode(String name, String raw) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%') {
        int value =
            i + 2 < raw.length() ? hex(raw.charAt(i + 1)) << 4 | hex(raw.charAt(i + 2)) : -1;
        if (value < 0) {
          throw DsecException.invalid(
              name, "%s has a %% that no two hexadecimal digits follow".formatted(name));
        }
        out.write(value);
        i += 2;
      } else if (c == '+') {
        out.write(' ');
      } else {
        out.writeBytes(Bytes.utf8(String.valueOf(c)).toArray());
      }
    }
    return Bytes.wrap(out.toByteArray());
  }

  private static int hex(char c) {
    int digit = Character.digit(c, 16);
    return digit < 0 ? -256 : digit;
  }

  /** Permission bits in octal text; nothing when absent. */
  static Optional<Integer> mode(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    if (!text.matches("0?[0-7]{1,4}")) {
      throw DsecException.invalid(
          "mode", "mode is \"%s\"; write it in octal, for instance \"0755\"".formatted(text));
    }
    return Optional.of(Integer.parseInt(text, 8));
  }
}
