// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.port;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * First line and fields of a request or a reply.
 *
 * @param first {@code GET / HTTP/1.1}, or {@code HTTP/1.1 200 OK}
 */
public record HttpHead(String first, List<Field> fields) {
  /** A field's name as it came. */
  public record Field(String name, String value) {
    public boolean is(String other) {
      return name.equalsIgnoreCase(other);
    }
  }

  private static final int MOST_BYTES = 64 << 10;

  /** They speak of one connection, and end with it (RFC 9110, 7.6.1). */
  private static final Set<String> OF_THE_CONNECTION =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  public HttpHead {
    fields = List.copyOf(fields);
  }

  /** Reads up to the empty line, at most 64 KiB. */
  public static HttpHead read(InputStream in) throws IOException {
    String first = line(in, MOST_BYTES);
    int left = MOST_BYTES - first.length();
    List<Field> fields = new ArrayList<>();
    for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
      left -= line.length();
      int colon = line.indexOf(':');
      if (colon < 1 || line.charAt(0) <= ' ') {
        throw broken("a header field is \"%s\"".formatted(shown(line)));
      }
      fields.add(new Field(line.substring(0, colon), line.substring(colon + 1).strip()));
    }
    return new HttpHead(first, fields);
  }

  static String line(InputStream in, int most) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(80);
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the server inside closed the connection");
      }
      if (line.size() >= most) {
        throw broken("its head is longer than %d bytes".formatted(MOST_BYTES));
      }
      line.write(b);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }

  static DsecException broken(String what) {
    return DsecException.of(
            ErrorCode.BAD_GATEWAY, "the server inside does not speak HTTP/1.1: " + what)
        .withField("port");
  }

  private static String shown(String line) {
    return line.length() > 60 ? line.substring(0, 60) + "…" : line;
  }

  /** Of a reply: {@code HTTP/1.0 200 OK}. */
  public int status() {
    String[] parts = first.split(" ", 3);
    if (parts.length < 2 || !parts[0].startsWith("HTTP/1.") || !parts[1].matches("[1-5][0-9]{2}")) {
      throw broken("its reply begins with \"%s\"".formatted(shown(first)));
    }
    return Integer.parseInt(parts[1]);
  }

  public Optional<String> first(String name) {
    return fields.stream().filter(f -> f.is(name)).map(Field::value).findFirst();
  }

  /** Without what speaks of this connection alone. */
  public List<Field> endToEnd() {
    Set<String> dropped = new TreeSet<>(OF_THE_CONNECTION);
    for (Field field : fields) {
      if (field.is("connection")) {
        for (String name : field.value().split(",", -1)) {
          dropped.add(name.strip().toLowerCase(Locale.ROOT));
        }
      }
    }
    return fields.stream()
        .filter(f -> !dropped.contains(f.name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  public byte[] bytes() {
    StringBuilder text = new StringBuilder(first).append("\r\n");
    for (Field field : fields) {
      text.append(field.name()).append(": ").append(field.value()).append("\r\n");
    }
    return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}
