// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

/** Who may use a route. */
enum Access {
  ANYONE,
  /** Without a key only on loopback. */
  LOCAL_OR_KEY,
  KEY,
  ADMIN
}
