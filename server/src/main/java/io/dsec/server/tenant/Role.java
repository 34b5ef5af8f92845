// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.tenant;

/** What a key may do: {@code USER} works in its own tenant, {@code ADMIN} everywhere. */
public enum Role {
  ADMIN,
  USER
}
