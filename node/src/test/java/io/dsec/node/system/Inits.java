// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import io.dsec.model.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The init of a sandbox, found by its journal. */
final class Inits {
  private static final Pattern PID = Pattern.compile("\"launched\":\\{\"pid\":(\\d+)");

  private Inits() {}

  static ProcessHandle of(Path data, SandboxId id) throws IOException {
    String journal = Files.readString(data.resolve("sandboxes/" + id + "/journal.jsonl"));
    Matcher m = PID.matcher(journal);
    if (!m.find()) {
      throw new IllegalStateException("not launched: " + journal);
    }
    return ProcessHandle.of(Long.parseLong(m.group(1))).orElseThrow();
  }

  static void kill(Path data, SandboxId id) throws IOException {
    of(data, id).destroyForcibly();
  }
}
