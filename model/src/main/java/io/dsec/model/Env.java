// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/** Names and values of environment variables. */
final class Env {
  private Env() {}

  static void check(String field, String name, String value) {
    if (name.isEmpty() || name.indexOf('=') >= 0) {
      throw DsecException.invalid(
          field,
          "%s has the name \"%s\"; a name is not empty and has no '='".formatted(field, name));
    }
    Check.noNul(field, name);
    Check.noNul(field, value);
  }
}
