// SPDX-License-Identifier: Apache-2.0
package io.dsec.node;

import io.dsec.node.cgroup.Cgroups;
import io.dsec.node.disk.Layers;
import io.dsec.node.idrange.IdRanges;
import io.dsec.node.image.Images;
import io.dsec.node.record.Recordings;
import java.nio.file.Path;

/**
 * What a node finds on its host.
 *
 * @param dev directory shown at /dev of every sandbox
 * @param closing runs last when the node ends
 */
public record HostParts(
    Cgroups cgroups,
    Layers layers,
    Images images,
    IdRanges ids,
    Recordings recordings,
    Path dev,
    Closing closing) {
  /** Ends what the parts themselves run. */
  public interface Closing {
    /** {@code removed}: no sandbox is left, so that nothing on the host needs to stay. */
    void close(boolean removed);
  }

  /** Makes the parts for the node of this name. */
  public interface Maker {
    HostParts make(String instance);
  }
}
