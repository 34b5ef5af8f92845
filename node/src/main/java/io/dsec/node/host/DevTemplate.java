// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The /dev of every container: a small tmpfs with the harmless devices, made once per node and
 * shown read-only inside. {@code pts}, {@code shm} and {@code mqueue} are places for each sandbox's
 * own mounts.
 */
public final class DevTemplate {
  private static final int CHARACTER_DEVICE = 0020000;

  private record Device(String name, int major, int minor) {}

  private static final List<Device> DEVICES =
      List.of(
          new Device("null", 1, 3),
          new Device("zero", 1, 5),
          new Device("full", 1, 7),
          new Device("random", 1, 8),
          new Device("urandom", 1, 9),
          new Device("tty", 5, 0));

  private static final Map<String, String> LINKS =
      Map.of(
          "fd", "/proc/self/fd",
          "stdin", "/proc/self/fd/0",
          "stdout", "/proc/self/fd/1",
          "stderr", "/proc/self/fd/2",
          "ptmx", "pts/ptmx");

  private static final Map<String, Integer> DIRECTORIES =
      Map.of("pts", 0755, "shm", 01777, "mqueue", 01777);

  private final Path directory;

  public DevTemplate(Path directory) {
    this.directory = directory;
  }

  /** Host directory to show at /dev. */
  public Path directory() {
    return directory;
  }

  /** Makes what is missing; safe to repeat, also after a crash half way. */
  public void prepare() {
    OwnedFiles.directory(directory, 0755, 0, 0);
    if (Mounts.at(directory).isEmpty()) {
      Mounts.mount(
          "dsec-dev",
          directory,
          "tmpfs",
          Mounts.NOSUID | Mounts.NOATIME,
          "mode=755,size=64k,nr_inodes=64");
    }
    try {
      for (Device device : DEVICES) {
        Path path = directory.resolve(device.name());
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
          Syscalls.mknod(path, CHARACTER_DEVICE | 0666, device.major(), device.minor());
        }
        OwnedFiles.own(path, 0666, 0, 0);
      }
      for (var link : LINKS.entrySet()) {
        Path path = directory.resolve(link.getKey());
        if (!Files.isSymbolicLink(path)) {
          Files.createSymbolicLink(path, Path.of(link.getValue()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    DIRECTORIES.forEach((name, mode) -> OwnedFiles.directory(directory.resolve(name), mode, 0, 0));
  }

  /** Sandboxes that still show it keep their view. */
  public void dispose() {
    Mounts.unmount(directory);
    try {
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
