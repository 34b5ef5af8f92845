// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.Ids;
import io.dsec.node.host.Descriptor;
import io.dsec.node.host.LoopDevices;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import io.dsec.node.host.SyscallException;
import io.dsec.node.host.Syscalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Small ext4 file systems: {@code NAME.img}, mounted at {@code NAME}. */
final class Ext4Volumes {
  private static final Logger LOG = LoggerFactory.getLogger(Ext4Volumes.class);
  private static final long FS_IOC_SHUTDOWN = 0x8004587dL;
  private static final int NO_LOG_FLUSH = 2;
  private static final int TEMPLATES = 16;
  private static final long FLAGS = Mounts.NOSUID | Mounts.NODEV | Mounts.NOATIME;
  private static final String SUFFIX = ".img";

  private final Path directory;
  private final RandomGenerator random;
  private final Map<Long, Ext4Template> templates = new LinkedHashMap<>(16, 0.75f, true);

  Ext4Volumes(Path directory, RandomGenerator random) {
    this.directory = directory;
    this.random = random;
  }

  void prepare() {
    OwnedFiles.privateDirectory(directory);
  }

  /** A new volume, mounted. */
  String make(long bytes) {
    String name = "v-" + Ids.letters(random, 16);
    try {
      template(bytes).write(image(name));
      mount(name);
      var _ = LayerDirectories.make(directory(name));
      return name;
    } catch (RuntimeException e) {
      destroy(name);
      throw e;
    }
  }

  private synchronized Ext4Template template(long bytes) {
    Ext4Template known = templates.get(bytes);
    if (known == null) {
      known = Ext4Template.make(directory.resolve("template.new"), bytes);
      templates.put(bytes, known);
      if (templates.size() > TEMPLATES) {
        templates.remove(templates.keySet().iterator().next());
      }
    }
    return known;
  }

  /** Safe to repeat. A device that sandboxes still hold from before a restart is used again. */
  void mount(String name) {
    Path target = OwnedFiles.privateDirectory(directory(name));
    if (Mounts.mounted(target)) {
      return;
    }
    List<Path> present = LoopDevices.showing(image(name));
    if (!present.isEmpty()) {
      Mounts.mount(present.getFirst().toString(), target, "ext4", FLAGS, "nobarrier");
    } else {
      try (var loop = LoopDevices.attach(image(name))) {
        Mounts.mount(loop.device().toString(), target, "ext4", FLAGS, "nobarrier");
      }
    }
    OwnedFiles.own(target, 0700, 0, 0);
  }

  boolean whole(String name) {
    return Files.exists(image(name));
  }

  void unmount(String name) {
    Mounts.unmount(directory(name));
  }

  /** Safe to repeat, and with parts missing. */
  void destroy(String name) {
    abandon(name);
    unmount(name);
    try {
      Files.deleteIfExists(image(name));
      Files.deleteIfExists(directory(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Shuts the file system down, so that unmounting does not first write what is to be deleted (400
   * MiB: 400 ms, and 50 ms without).
   */
  private void abandon(String name) {
    if (!Mounts.mounted(directory(name))) {
      return;
    }
    try (Descriptor root = Syscalls.open(directory(name), Syscalls.O_RDONLY);
        Arena arena = Arena.ofConfined()) {
      // SAFETY: the request takes a u32 and keeps no pointer to it
      MemorySegment withoutFlush = arena.allocateFrom(ValueLayout.JAVA_INT, NO_LOG_FLUSH);
      var _ = root.ioctl("SHUTDOWN of", FS_IOC_SHUTDOWN, withoutFlush);
    } catch (SyscallException e) {
      LOG.debug("unmounting the slow way: {}", e.getMessage());
    }
  }

  Path directory(String name) {
    return directory.resolve(name);
  }

  private Path image(String name) {
    return directory.resolve(name + SUFFIX);
  }

  /** Volumes of which something is left. */
  List<String> present() {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.startsWith("v-"))
          .map(name -> name.endsWith(SUFFIX) ? name.substring(0, name.length() - 4) : name)
          .distinct()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
