// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

/** What a create led to: a new sandbox, or the target of an earlier create of the same identity. */
public sealed interface Accepted {
  record Created(Sandbox sandbox) implements Accepted {}

  record Before(String target) implements Accepted {}
}
