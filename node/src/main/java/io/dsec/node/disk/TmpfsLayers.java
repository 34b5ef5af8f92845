// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** A tmpfs per sandbox. What is written counts against the writer's memory limit. */
final class TmpfsLayers implements WritableLayers {
  /** Inodes are kernel memory that the size does not bound: one for each 4 KiB is plenty. */
  private static final long BYTES_PER_INODE = 4096;

  private static final long MIN_INODES = 1024;

  private final Path directory;
  private final BlockingCalls calls;

  TmpfsLayers(Path directory, BlockingCalls calls) {
    this.directory = directory;
    this.calls = calls;
  }

  @Override
  public String name() {
    return "tmpfs";
  }

  @Override
  public void prepare() {
    OwnedFiles.privateDirectory(directory);
  }

  @Override
  public WritableLayer create(SandboxId id, long bytes) {
    return calls.get(
        () -> {
          Path target = layer(id);
          if (!Mounts.mounted(target)) {
            OwnedFiles.privateDirectory(target);
            String options =
                "mode=700,size=%d,nr_inodes=%d"
                    .formatted(bytes, Math.max(MIN_INODES, bytes / BYTES_PER_INODE));
            Mounts.mount(
                "dsec-layer",
                target,
                "tmpfs",
                Mounts.NOSUID | Mounts.NODEV | Mounts.NOATIME,
                options);
          }
          return LayerDirectories.make(target);
        });
  }

  @Override
  public WritableLayer copy(SandboxId from, SandboxId to, long bytes) {
    throw DsecException.of(
            ErrorCode.NOT_SUPPORTED,
            "a writable layer in memory cannot be copied: its pages would count for nobody")
        .withHint("fork a sandbox whose disk_medium is disk, on a node with a disk back end");
  }

  @Override
  public long used(SandboxId id) {
    Path target = layer(id);
    if (!Mounts.mounted(target)) {
      return 0;
    }
    File store = target.toFile(); // a FileStore would parse the mount table
    return store.getTotalSpace() - store.getFreeSpace();
  }

  @Override
  public void destroy(SandboxId id) {
    Path target = layer(id);
    if (!Files.exists(target)) {
      return; // as for every sandbox whose layer is on disk
    }
    calls.run(
        () -> {
          Mounts.unmount(target);
          OwnedFiles.deleteTree(target);
        });
  }

  @Override
  public Set<SandboxId> present() {
    return LayerDirectories.idsIn(directory);
  }

  /** What lives in memory cannot stay: the layers of sandboxes that still run go with them. */
  @Override
  public void dispose() {
    present().forEach(this::destroy);
  }

  private Path layer(SandboxId id) {
    return directory.resolve(id.value());
  }
}
