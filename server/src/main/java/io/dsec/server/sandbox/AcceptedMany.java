// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import java.util.List;

/** The answer to a request for many sandboxes. */
public sealed interface AcceptedMany {
  record Created(List<Sandbox> sandboxes) implements AcceptedMany {}

  /** The same request came before and led to these. */
  record Before(List<String> ids) implements AcceptedMany {}
}
