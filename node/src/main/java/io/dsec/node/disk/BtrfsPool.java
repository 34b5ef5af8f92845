// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.node.host.LoopDevices;
import io.dsec.node.host.MountPoint;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import io.dsec.node.host.Program;
import io.dsec.node.host.SyscallException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One btrfs in a sparse file: {@code pool.img}, mounted at {@code pool}. */
final class BtrfsPool {
  private static final Logger LOG = LoggerFactory.getLogger(BtrfsPool.class);

  /** A short commit interval gives the space of destroyed layers back sooner. */
  private static final String OPTIONS = "commit=5";

  private static final long FLAGS = Mounts.NOSUID | Mounts.NODEV | Mounts.NOATIME;

  private final Path parent;
  private final Path image;
  private final Path directory;
  private final long configuredBytes;
  private @Nullable Path statistics;

  BtrfsPool(Path parent, long configuredBytes) {
    this.parent = parent;
    this.image = parent.resolve("pool.img");
    this.directory = parent.resolve("pool");
    this.configuredBytes = configuredBytes;
  }

  Path directory() {
    return directory;
  }

  synchronized void prepare() {
    OwnedFiles.privateDirectory(parent);
    Optional<MountPoint> present = Mounts.at(directory).filter(m -> m.type().equals("btrfs"));
    if (present.isPresent() && !present.get().superOptions().contains("ro")) {
      return;
    }
    // after an error of the disk below, the kernel lets nobody write any more
    present.ifPresent(readOnly -> Mounts.unmount(directory));
    OwnedFiles.privateDirectory(directory);
    if (Files.exists(image)) {
      try {
        mount();
        return;
      } catch (SyscallException e) {
        LOG.warn("the pool cannot be mounted and is made anew: {}", e.getMessage());
        LoopDevices.detach(image);
      }
    }
    make();
    mount();
  }

  /** A device that sandboxes still hold from before a restart is used again. */
  private void mount() {
    List<Path> present = LoopDevices.showing(image);
    if (!present.isEmpty()) {
      Mounts.mount(present.getFirst().toString(), directory, "btrfs", FLAGS, OPTIONS);
    } else {
      try (var loop = LoopDevices.attach(image)) {
        Mounts.mount(loop.device().toString(), directory, "btrfs", FLAGS, OPTIONS);
      }
    }
    OwnedFiles.own(directory, 0700, 0, 0);
  }

  private void make() {
    Path draft = image.resolveSibling("pool.img.new");
    long bytes = bytes();
    try {
      Files.deleteIfExists(draft);
      try (RandomAccessFile file = new RandomAccessFile(draft.toFile(), "rw")) {
        file.setLength(bytes);
      }
      OwnedFiles.own(draft, 0600, 0, 0);
      Program.run("mkfs.btrfs", "-q", "-K", "-m", "single", "-d", "single", draft.toString());
      Files.move(draft, image, StandardCopyOption.ATOMIC_MOVE);
      LOG.info("made a btrfs pool of {} MiB in {}", bytes >> 20, image);
    } catch (IOException e) {
      throw new UncheckedIOException("make " + draft + ": " + e.getMessage(), e);
    }
  }

  private long bytes() {
    if (configuredBytes > 0) {
      return configuredBytes;
    }
    long free = parent.toFile().getUsableSpace();
    long bytes = (free / 10 * 6) & -(1L << 20);
    if (bytes < DiskConfig.MIN_POOL) {
      throw new IllegalStateException(
          "%s has %d MiB free, too little for a pool".formatted(parent, free >> 20));
    }
    return bytes;
  }

  /** Where the kernel tells the use of each quota group. */
  synchronized Path statistics() {
    if (statistics == null) {
      statistics = findStatistics();
    }
    return statistics;
  }

  private Path findStatistics() {
    MountPoint mount = Mounts.at(directory).orElseThrow();
    String device = Path.of(mount.source()).getFileName().toString();
    try (var all = Files.list(Path.of("/sys/fs/btrfs"))) {
      return all.filter(fs -> Files.exists(fs.resolve("devices").resolve(device)))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("no btrfs on " + device))
          .resolve("qgroups");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The device frees itself when the last sandbox that uses the pool is gone. */
  synchronized void dispose() {
    statistics = null;
    Mounts.unmount(directory);
    LoopDevices.detach(image);
  }
}
