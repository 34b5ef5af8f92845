// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What DSec could leave behind on a host: processes, mounts, cgroups, loop devices. */
record HostState(
    Set<String> processes, Set<String> mounts, Set<String> cgroups, Set<String> loops) {
  static HostState now() {
    return new HostState(processNames(), mountPoints(), groups(), loopFiles());
  }

  /** Everything that was not there before is gone, and the sandboxes' directories are empty. */
  static void assertNothingLeft(HostState before, Path data) {
    await()
        .atMost(20, SECONDS)
        .untilAsserted(
            () -> {
              HostState now = now();
              assertThat(without(now.processes, before.processes)).as("processes left").isEmpty();
              assertThat(without(now.mounts, before.mounts)).as("mounts left").isEmpty();
              assertThat(without(now.cgroups, before.cgroups)).as("cgroups left").isEmpty();
              assertThat(without(now.loops, before.loops)).as("loop devices left").isEmpty();
              assertThat(sandboxRemains(data)).as("remains of sandboxes").isEmpty();
            });
  }

  private static Set<String> without(Set<String> now, Set<String> before) {
    Set<String> left = new TreeSet<>(now);
    left.removeAll(before);
    return left;
  }

  /** All but the journals of ended sandboxes that no server has read yet: those are records. */
  private static Set<String> sandboxRemains(Path data) {
    return find(
        data,
        6,
        p ->
            p.toString().matches(".*/sb-[a-z2-7]{16}/.+")
                && !p.getFileName().toString().equals("journal.jsonl"));
  }

  private static Set<String> processNames() {
    Set<String> out = new TreeSet<>();
    ProcessHandle.allProcesses()
        .forEach(
            p -> {
              try {
                Path proc = Path.of("/proc/" + p.pid());
                String name = Files.readString(proc.resolve("comm")).strip();
                boolean zombie = Files.readString(proc.resolve("status")).contains("State:\tZ");
                if (name.startsWith("dsec") && !zombie) {
                  out.add(p.pid() + " " + name);
                }
              } catch (IOException _) {
                // ended meanwhile
              }
            });
    return out;
  }

  private static Set<String> mountPoints() {
    Set<String> out = new TreeSet<>();
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
      // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
      lines.map(l -> l.split(" ")[4]).forEach(out::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out;
  }

  static Set<String> groups() {
    return find(
        Path.of("/sys/fs/cgroup"),
        4,
        p -> Files.isDirectory(p) && p.getFileName().toString().startsWith("dsec"));
  }

  private static Set<String> loopFiles() {
    Set<String> out = new TreeSet<>();
    for (String loop :
        find(Path.of("/sys/block"), 1, p -> p.getFileName().toString().startsWith("loop"))) {
      try {
        out.add(loop + " " + Files.readString(Path.of(loop, "loop/backing_file")).strip());
      } catch (IOException _) {
        // not attached
      }
    }
    return out;
  }

  private static Set<String> find(Path below, int depth, Predicate<Path> wanted) {
    Set<String> out = new TreeSet<>();
    try (Stream<Path> files = Files.walk(below, depth)) {
      files.filter(wanted).map(Path::toString).forEach(out::add);
    } catch (IOException | UncheckedIOException _) {
      // a group that vanished while walking: the next look is exact
    }
    return out;
  }
}
