// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.TerminalSize;
import org.jspecify.annotations.Nullable;

/** Body of {@code POST …/processes/{process}/resize}. */
record ResizeRequest(@Nullable Integer cols, @Nullable Integer rows) {
  TerminalSize size() {
    if (cols == null || rows == null) {
      throw DsecException.invalid(cols == null ? "cols" : "rows", "give both cols and rows");
    }
    return new TerminalSize(cols, rows);
  }
}
