// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import com.sun.security.auth.module.UnixSystem;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.probe.Finding;
import io.dsec.node.probe.HostProbe;
import java.nio.file.Path;
import java.util.Optional;

/** Says in one line why a node cannot run on this machine. */
final class ThisHost {
  private ThisHost() {}

  /** What can be told at once, before anything is tried. */
  static void check() {
    long uid = new UnixSystem().getUid();
    if (uid != 0) {
      throw DsecException.of(
              ErrorCode.NOT_SUPPORTED,
              "a node needs root to make sandboxes, and this is uid %d".formatted(uid))
          .withHint("run it with sudo, or name a server with --url; `dsec doctor` tells more");
    }
  }

  /** After a start failed: what the machine lacks, when that is the reason; else the failure. */
  static RuntimeException explained(RuntimeException failure, Path data) {
    if (failure instanceof DsecException d && d.code() != ErrorCode.INTERNAL) {
      return failure;
    }
    Optional<Finding> missing =
        new HostProbe(data).findings().stream().filter(f -> !f.acceptable()).findFirst();
    return missing
        .<RuntimeException>map(
            f ->
                DsecException.of(
                        ErrorCode.NOT_SUPPORTED,
                        "this machine cannot run sandboxes: %s: %s".formatted(f.name(), f.detail()))
                    .withHint(f.hint() + "; `dsec doctor` tells all")
                    .withCause(failure))
        .orElse(failure);
  }
}
