// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import com.sun.security.auth.module.UnixSystem;
import java.nio.file.Path;
import java.util.Map;

/** Where everything is kept unless {@code --data} says otherwise. */
final class DataDirectory {
  private DataDirectory() {}

  static Path standard(Map<String, String> environment) {
    return standard(environment, new UnixSystem().getUid() == 0);
  }

  static Path standard(Map<String, String> environment, boolean root) {
    return root
        ? Path.of("/var/lib/dsec")
        : Path.of(environment.getOrDefault("HOME", "."), ".local", "share", "dsec");
  }
}
