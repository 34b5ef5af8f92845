// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.store;

import java.util.Objects;

/**
 * A client-given identity of a create.
 *
 * @param kind what is created and which sort of name it is ({@code sandbox-key}, {@code task-id} …)
 * @param name the identity
 * @param content digest of the request: the same name with other content is a conflict
 */
public record Claim(String tenant, String kind, String name, String content) {
  public Claim {
    Objects.requireNonNull(tenant);
    Objects.requireNonNull(kind);
    Objects.requireNonNull(name);
    Objects.requireNonNull(content);
  }
}
