// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.probe;

import io.dsec.node.disk.DiskBackends;
import io.dsec.node.host.IdMapping;
import io.dsec.node.host.KernelFile;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import io.dsec.node.host.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** File systems: overlay, id-mapped mounts, EROFS, free space, and what can limit layers. */
final class StorageChecks {
  private static final long MIN_FREE = 2L << 30;

  private final Path data;

  StorageChecks(Path data) {
    this.data = data;
  }

  List<Check> all() {
    List<Check> checks = new ArrayList<>();
    checks.add(
        new Check("overlay", true, this::overlay, "use a kernel with overlayfs; run as root"));
    checks.add(
        new Check(
            "id-mapped-mounts",
            true,
            this::idMapped,
            "keep the data directory on ext4, XFS or btrfs"));
    checks.add(
        new Check("erofs", false, () -> fileSystem("erofs"), "use a kernel with CONFIG_EROFS_FS"));
    checks.add(new Check("disk.free", false, this::free, "free some space, or move the data"));
    checks.add(
        new Check(
            "disk.project-quota",
            false,
            this::projectQuota,
            "keep the data directory on XFS mounted with prjquota"));
    checks.add(
        new Check(
            "disk.btrfs",
            false,
            () -> image("btrfs", "mkfs.btrfs"),
            "install btrfs-progs: it is the fastest back end for writable layers"));
    checks.add(
        new Check("disk.ext4-image", false, () -> image("ext4", "mkfs.ext4"), "install e2fsprogs"));
    checks.add(new Check("disk.tmpfs", true, () -> fileSystem("tmpfs"), "use a kernel with tmpfs"));
    return checks;
  }

  /** With the options that sandboxes are mounted with. */
  private String overlay() throws IOException {
    return inScratch(
        scratch -> {
          for (String name : List.of("lower", "upper", "work", "merged")) {
            OwnedFiles.directory(scratch.resolve(name), 0755, 0, 0);
          }
          String options =
              "lowerdir=%1$s/lower,upperdir=%1$s/upper,workdir=%1$s/work,index=on,nfs_export=on"
                  .formatted(scratch);
          Path merged = scratch.resolve("merged");
          Mounts.mount("dsec-probe", merged, "overlay", Mounts.NOSUID | Mounts.NODEV, options);
          Mounts.unmount(merged);
          return "mounted one below " + data;
        });
  }

  private String idMapped() throws IOException {
    return inScratch(
        scratch -> {
          IdMapping.tryOn(scratch);
          return "work on the file system of " + data;
        });
  }

  private String projectQuota() throws IOException {
    return inScratch(
        scratch -> {
          DiskBackends.tryProjectQuota(scratch);
          return "is on for " + data;
        });
  }

  private interface InDirectory {
    String run(Path scratch) throws IOException;
  }

  private String inScratch(InDirectory body) throws IOException {
    Path scratch = Files.createTempDirectory(place(), "dsec-probe-");
    try {
      return body.run(scratch);
    } finally {
      OwnedFiles.deleteTree(scratch);
    }
  }

  /** The data directory, or where it would be made. */
  private Path place() {
    Path at = data;
    while (!Files.isDirectory(at)) {
      at = Objects.requireNonNullElse(at.getParent(), Path.of("/"));
    }
    return at;
  }

  private String free() throws Exception {
    Path at = place();
    long free = Files.getFileStore(at).getUsableSpace();
    NotOffered.unless(free >= MIN_FREE, "%d MiB free at %s".formatted(free >> 20, at));
    return "%d GiB free at %s".formatted(free >> 30, at);
  }

  private static String image(String type, String mkfs) throws Exception {
    Path program = Program.find(mkfs).orElseThrow(() -> new NotOffered(mkfs + " is not installed"));
    NotOffered.unless(
        Files.exists(Path.of("/dev/loop-control")),
        "no loop devices: /dev/loop-control is missing");
    return fileSystem(type) + ", " + program;
  }

  // nodev	overlay
  //	ext4
  private static String fileSystem(String type) throws Exception {
    boolean there =
        KernelFile.read(Path.of("/proc/filesystems"))
            .lines()
            .anyMatch(line -> line.substring(line.indexOf('\t') + 1).equals(type));
    if (!there) {
      Supplier<NotOffered> absent = () -> new NotOffered("the kernel has no " + type);
      Path modprobe = Program.find("modprobe").orElseThrow(absent);
      try {
        Program.run(modprobe.getFileName().toString(), type);
      } catch (IllegalStateException e) {
        throw absent.get();
      }
    }
    return "the kernel has " + type;
  }
}
