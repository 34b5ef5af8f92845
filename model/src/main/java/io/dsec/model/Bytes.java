// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/** Immutable bytes. */
public final class Bytes {
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] data;

  private Bytes(byte[] data) {
    this.data = data;
  }

  public static Bytes copyOf(byte[] data) {
    return data.length == 0 ? EMPTY : new Bytes(data.clone());
  }

  /** Takes the array as it is: the caller must not change it afterwards. */
  public static Bytes wrap(byte[] data) {
    return data.length == 0 ? EMPTY : new Bytes(data);
  }

  public static Bytes utf8(String text) {
    return wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  public static Bytes base64(String text) {
    return wrap(Base64.getDecoder().decode(text));
  }

  public int length() {
    return data.length;
  }

  public boolean isEmpty() {
    return data.length == 0;
  }

  public byte[] toArray() {
    return data.clone();
  }

  public ByteBuffer buffer() {
    return ByteBuffer.wrap(data).asReadOnlyBuffer();
  }

  public InputStream stream() {
    return new ByteArrayInputStream(data);
  }

  public Bytes slice(int from, int to) {
    return wrap(Arrays.copyOfRange(data, from, to));
  }

  public boolean isUtf8() {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(data);
    CharBuffer out = CharBuffer.allocate(Math.clamp(data.length, 2, 8 << 10));
    CoderResult result = decoder.decode(in, out, true);
    while (result.isOverflow()) {
      result = decoder.decode(in, out.clear(), true);
    }
    return !result.isError();
  }

  /** The text when these bytes are UTF-8, else nothing. */
  public Optional<String> text() {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString());
    } catch (CharacterCodingException _) {
      return Optional.empty();
    }
  }

  /** Text with U+FFFD where bytes are not UTF-8. */
  public String lossyText() {
    return new String(data, StandardCharsets.UTF_8);
  }

  public String base64() {
    return Base64.getEncoder().encodeToString(data);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes b && Arrays.equals(b.data, data);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(data);
  }

  @Override
  public String toString() {
    return "Bytes[" + data.length + "]";
  }
}
