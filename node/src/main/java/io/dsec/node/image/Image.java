// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.image;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An image that is ready on this node.
 *
 * @param digest content address; the word {@code host} for the host's own programs
 * @param lowers directories, topmost first
 * @param binds host directories shown over the layers
 * @param user of commands that name none
 * @param workdir of commands that name none; empty means the user's home
 */
public record Image(
    String digest,
    List<Path> lowers,
    List<ImageBind> binds,
    Map<String, String> env,
    String user,
    String workdir) {
  public Image {
    lowers = List.copyOf(lowers);
    binds = List.copyOf(binds);
    env = Map.copyOf(env);
  }

  /**
   * A read-only view of a host directory.
   *
   * @param target absolute path inside
   */
  public record ImageBind(Path source, String target) {}
}
