// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.SandboxId;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.host.OwnedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subvolume with a quota group per sandbox, in one pool. Writes beyond it end in EDQUOT. */
final class BtrfsLayers implements WritableLayers {
  private static final Logger LOG = LoggerFactory.getLogger(BtrfsLayers.class);

  /**
   * Metadata is charged too: room for the tree that small files need, and for deleting at the
   * limit.
   */
  private static final long SLACK = 1L << 20;

  private final BtrfsPool pool;
  private final BlockingCalls calls;

  BtrfsLayers(Path directory, long poolBytes, BlockingCalls calls) {
    this.pool = new BtrfsPool(directory, poolBytes);
    this.calls = calls;
  }

  @Override
  public String name() {
    return "btrfs";
  }

  @Override
  public void prepare() {
    calls.run(
        () -> {
          pool.prepare();
          LOG.info(
              "btrfs pool {} limits by {}",
              pool.directory(),
              BtrfsCalls.enableQuota(pool.directory()));
        });
  }

  @Override
  public WritableLayer create(SandboxId id, long bytes) {
    return calls.get(
        () -> {
          var _ = BtrfsCalls.createSubvolume(pool.directory(), id.value());
          Path subvolume = subvolume(id);
          BtrfsCalls.limit(subvolume, bytes + SLACK);
          OwnedFiles.own(subvolume, 0700, 0, 0);
          return LayerDirectories.make(subvolume);
        });
  }

  /**
   * A snapshot shares what it does not change. With simple quotas that stays charged to who wrote
   * it, with quota groups to both. Overlay takes no work directory of another overlay.
   */
  @Override
  public WritableLayer copy(SandboxId from, SandboxId to, long bytes) {
    return calls.get(
        () -> {
          Path subvolume = subvolume(to);
          BtrfsCalls.destroySubvolume(pool.directory(), to.value());
          BtrfsCalls.snapshot(subvolume(from), pool.directory(), to.value());
          BtrfsCalls.limit(subvolume, bytes + SLACK);
          OwnedFiles.deleteTree(subvolume.resolve("work"));
          return LayerDirectories.make(subvolume);
        });
  }

  @Override
  public long used(SandboxId id) {
    if (!Files.isDirectory(subvolume(id))) {
      return 0;
    }
    long group = BtrfsCalls.subvolumeId(subvolume(id));
    try {
      // 104873984
      return Long.parseLong(
          Files.readString(pool.statistics().resolve("0_" + group).resolve("referenced")).strip());
    } catch (NoSuchFileException e) {
      return 0; // destroyed meanwhile
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Space comes back some seconds later: the kernel cleans up in the background. */
  @Override
  public void destroy(SandboxId id) {
    calls.run(() -> BtrfsCalls.destroySubvolume(pool.directory(), id.value()));
  }

  @Override
  public Set<SandboxId> present() {
    return LayerDirectories.idsIn(pool.directory());
  }

  @Override
  public void dispose() {
    calls.run(pool::dispose);
  }

  private Path subvolume(SandboxId id) {
    return pool.directory().resolve(id.value());
  }
}
