// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.Bytes;
import io.dsec.model.DsecException;

/** Base64 of requests. */
final class Base64Text {
  private Base64Text() {}

  static Bytes decode(String field, String text) {
    try {
      return Bytes.base64(text);
    } catch (IllegalArgumentException e) {
      throw DsecException.invalid(field, field + " is no base64: " + e.getMessage());
    }
  }
}
