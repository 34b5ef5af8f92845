// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.probe;

/** The host lacks something; the message says what. */
final class NotOffered extends Exception {
  NotOffered(String message) {
    super(message);
  }

  static void unless(boolean good, String message) throws NotOffered {
    if (!good) {
      throw new NotOffered(message);
    }
  }
}
