// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.time.Duration;

/** Runs something later. */
@FunctionalInterface
public interface Alarm {
  void after(Duration delay, Runnable action);
}
