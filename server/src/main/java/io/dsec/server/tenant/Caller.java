// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.tenant;

/** Whom a request speaks for. */
public record Caller(String key, String tenant, Role role) {
  public boolean mayUse(String otherTenant) {
    return role == Role.ADMIN || tenant.equals(otherTenant);
  }
}
