// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.List;
import java.util.Objects;

/** What makes a sandbox a task: files written first, then one command run to its end. */
public record MainCommand(ExecSpec exec, List<FileSpec> files) {
  public MainCommand {
    Objects.requireNonNull(exec);
    files = List.copyOf(files);
  }
}
