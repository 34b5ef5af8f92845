// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.model.Bytes;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the values of an event's data; texts and bytes are masked, keys are not. */
final class JsonValues {
  private static final int MAX_DEPTH = 64;

  private final LineBuffer out;
  private final SecretMask mask;

  JsonValues(LineBuffer out, SecretMask mask) {
    this.out = out;
    this.mask = mask;
  }

  void object(Map<?, ?> fields) {
    object(fields, 0);
  }

  private void object(Map<?, ?> fields, int depth) {
    char before = '{';
    for (Map.Entry<?, ?> field : fields.entrySet()) {
      out.raw(before);
      before = ',';
      out.string(String.valueOf(field.getKey()));
      out.raw(':');
      value(field.getValue(), depth + 1);
    }
    out.raw(before == '{' ? "{}" : "}");
  }

  private void value(@Nullable Object value, int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException("event data nested deeper than " + MAX_DEPTH);
    }
    switch (value) {
      case null -> out.raw("null");
      case String text -> out.string(mask.text(text));
      case Bytes bytes -> bytes(bytes);
      case Boolean flag -> out.raw(flag ? "true" : "false");
      case Double number -> out.raw(finite(number) ? number.toString() : "null");
      case Float number -> out.raw(finite(number) ? number.toString() : "null");
      case Number number -> number(number);
      case Map<?, ?> fields -> object(fields, depth);
      case Iterable<?> items -> list(items, depth);
      case Enum<?> constant -> out.string(constant.name().toLowerCase(Locale.ROOT));
      default -> out.string(mask.text(value.toString()));
    }
  }

  private void bytes(Bytes bytes) {
    byte[] data = bytes.toArray();
    SecretMask.Masked masked = mask.bytes(data, 0, data.length, true);
    out.bytes(masked.bytes(), masked.from(), masked.to());
  }

  private void number(Number number) {
    switch (number) {
      case Long _, Integer _, Short _, Byte _ -> out.number(number.longValue());
      default -> out.raw(number.toString());
    }
  }

  private void list(Iterable<?> items, int depth) {
    char before = '[';
    for (Object item : items) {
      out.raw(before);
      before = ',';
      value(item, depth + 1);
    }
    out.raw(before == '[' ? "[]" : "]");
  }

  private static boolean finite(double number) {
    return Double.isFinite(number);
  }
}
