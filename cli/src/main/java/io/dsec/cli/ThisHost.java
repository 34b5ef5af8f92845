// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import com.sun.security.auth.module.UnixSystem;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;

/** What this machine offers to a node. */
final class ThisHost {
  private ThisHost() {}

  /** Refuses in one line what would fail deep inside. */
  static void check() {
    long uid = new UnixSystem().getUid();
    if (uid != 0) {
      throw DsecException.of(
              ErrorCode.NOT_SUPPORTED,
              "a node needs root to make sandboxes, and this is uid %d".formatted(uid))
          .withHint("run it with sudo, or name a server with --url; `dsec doctor` tells more");
    }
  }
}
