// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.copy;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code ID:PATH} of the command line. */
public record RemotePath(SandboxId sandbox, String path) {
  private static final Pattern FORM = Pattern.compile("(sb-[a-z2-7]{16}):(.*)", Pattern.DOTALL);

  /** Nothing for a local path. */
  public static Optional<RemotePath> of(String text) {
    Matcher m = FORM.matcher(text);
    if (!m.matches()) {
      return Optional.empty();
    }
    String path = m.group(2);
    if (!path.startsWith("/")) {
      throw DsecException.invalid(
          "path", "\"%s\" is no absolute path; write ID:/PATH".formatted(path));
    }
    return Optional.of(new RemotePath(new SandboxId(m.group(1)), path));
  }

  /** The last part; empty for the root, and for what ends in a slash or a dot. */
  static String name(String path) {
    String last = path.substring(path.lastIndexOf('/') + 1);
    return last.equals(".") ? "" : last;
  }

  static String join(String directory, String name) {
    return directory.endsWith("/") ? directory + name : directory + "/" + name;
  }
}
