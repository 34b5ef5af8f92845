// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/** What a request asks for: a tier by name, or {@code AUTO}. */
public enum Isolation {
  AUTO,
  CONTAINER,
  GVISOR,
  MICROVM
}
