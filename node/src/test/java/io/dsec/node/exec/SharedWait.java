// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

final class SharedWait {
  private SharedWait() {}

  static void until(Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(5))
        .pollInterval(Duration.ofMillis(2))
        .until(condition);
  }
}
