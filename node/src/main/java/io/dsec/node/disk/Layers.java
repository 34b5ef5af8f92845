// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import java.util.HashSet;
import java.util.Set;

/**
 * The writable layers of one node by where they live. Only a create says where: everything else
 * asks both, since the id of an orphan does not tell.
 */
public record Layers(WritableLayers disk, WritableLayers memory) {
  public void prepare() {
    disk.prepare();
    memory.prepare();
  }

  /** Safe to repeat. */
  public WritableLayer create(SandboxId id, Resources resources) {
    return switch (resources.diskMedium()) {
      case DISK -> disk.create(id, resources.disk());
      case MEMORY -> memory.create(id, resources.disk());
    };
  }

  /** As {@link WritableLayers#copy}. */
  public WritableLayer copy(SandboxId from, SandboxId to, Resources resources) {
    return switch (resources.diskMedium()) {
      case DISK -> disk.copy(from, to, resources.disk());
      case MEMORY -> memory.copy(from, to, resources.disk());
    };
  }

  /** Bytes in use. */
  public long used(SandboxId id) {
    return disk.used(id) + memory.used(id);
  }

  public void destroy(SandboxId id) {
    disk.destroy(id);
    memory.destroy(id);
  }

  public Set<SandboxId> present() {
    Set<SandboxId> present = new HashSet<>(disk.present());
    present.addAll(memory.present());
    return present;
  }

  /** Once no sandbox is left. */
  public void dispose() {
    disk.dispose();
    memory.dispose();
  }
}
