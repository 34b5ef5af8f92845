// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.SandboxId;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.host.OwnedFiles;
import io.dsec.node.host.Program;
import io.dsec.node.host.SyscallException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * A directory with a project of its own per sandbox, where the data directory's XFS or ext4 has
 * project quota on. Cheapest of all: no mount, no image.
 *
 * <p>ext4 lets a writer with CAP_SYS_RESOURCE pass its limits, and an overlay writes with the
 * capabilities of who mounted it. Where the node has that one, {@link LimitTest} finds it out, and
 * only XFS will do.
 */
final class ProjectQuotaLayers implements WritableLayers {
  private static final long BYTES_PER_INODE = 4096;
  private static final long MIN_INODES = 1024;
  private static final int LARGEST = 1 << 30;

  private final Path directory;
  private final BlockingCalls calls;
  private int next;

  ProjectQuotaLayers(Path directory, BlockingCalls calls) {
    this.directory = directory;
    this.calls = calls;
    // nodes on one file system start far apart; an id in use is skipped in any case
    this.next = LARGEST / 2 + Math.floorMod(directory.hashCode(), LARGEST / 2);
  }

  @Override
  public String name() {
    return "project-quota";
  }

  @Override
  public void prepare() {
    OwnedFiles.privateDirectory(directory);
    probe(directory, next);
  }

  static void probe(Path directory, int project) {
    try {
      var _ = ProjectQuotaCalls.use(directory, project);
    } catch (SyscallException e) {
      throw new IllegalStateException(
          "project quota is off for %s; mount its XFS or ext4 with the option prjquota (%s)"
              .formatted(directory, e.getMessage()),
          e);
    }
  }

  @Override
  public WritableLayer create(SandboxId id, long bytes) {
    return calls.get(
        () -> {
          Path layer = OwnedFiles.privateDirectory(layer(id));
          long inodes = Math.max(MIN_INODES, bytes / BYTES_PER_INODE);
          int project = ProjectQuotaCalls.project(layer);
          if (project == 0) {
            project = assign(layer, bytes, inodes);
          } else {
            ProjectQuotaCalls.limit(directory, project, bytes, inodes);
          }
          return LayerDirectories.make(layer);
        });
  }

  /** The limit comes first: from then on the id counts as taken, whoever looks. */
  private synchronized int assign(Path layer, long bytes, long inodes) {
    while (!ProjectQuotaCalls.use(directory, next).unused()) {
      next = next == LARGEST ? LARGEST / 2 : next + 1;
    }
    int project = next;
    next = next == LARGEST ? LARGEST / 2 : next + 1;
    ProjectQuotaCalls.limit(directory, project, bytes, inodes);
    ProjectQuotaCalls.setProject(layer, project);
    return project;
  }

  @Override
  public WritableLayer copy(SandboxId from, SandboxId to, long bytes) {
    destroy(to);
    WritableLayer copy = create(to, bytes);
    calls.run(() -> LayerDirectories.copyFiles(LayerDirectories.of(layer(from)), copy));
    return copy;
  }

  @Override
  public long used(SandboxId id) {
    return Files.isDirectory(layer(id))
        ? ProjectQuotaCalls.use(directory, ProjectQuotaCalls.project(layer(id))).bytes()
        : 0;
  }

  /** {@code rm} and not Java: programs make trees deeper than any path name may be long. */
  @Override
  public void destroy(SandboxId id) {
    calls.run(
        () -> {
          if (!Files.isDirectory(layer(id))) {
            return;
          }
          int project = ProjectQuotaCalls.project(layer(id));
          Program.run(
              Duration.ofMinutes(10), "rm", "-rf", "--one-file-system", "--", layer(id).toString());
          if (project != 0) {
            ProjectQuotaCalls.limit(directory, project, 0, 0);
          }
        });
  }

  @Override
  public Set<SandboxId> present() {
    return LayerDirectories.idsIn(directory);
  }

  @Override
  public void dispose() {
    // nothing is mounted or attached
  }

  private Path layer(SandboxId id) {
    return directory.resolve(id.value());
  }
}
