// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.reap;

import java.time.Instant;

/** Forgets records of what ended before a time. */
@FunctionalInterface
public interface Retention {
  void forgetBefore(Instant time);
}
