// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What tests make on the real host: names begin with {@code dsec-test-PID-}, and what a killed run
 * left is swept when its process is gone.
 */
public final class TestHost {
  private static final Pattern NAME = Pattern.compile(".*dsec-test-(\\d+)-.*");
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final Path TEMP = Path.of("/tmp");

  private TestHost() {}

  public static void assumeRoot() {
    assumeTrue(Syscalls.effectiveUid() == 0, "needs root: mounts, devices and control groups");
    sweepLeftovers();
  }

  public static void assumeProgram(String name) {
    assumeTrue(Program.find(name).isPresent(), name + " is not installed");
  }

  public static String name(String purpose) {
    return "dsec-test-%d-%d-%s"
        .formatted(ProcessHandle.current().pid(), COUNT.incrementAndGet(), purpose);
  }

  public static Path directory(String purpose) {
    return OwnedFiles.directory(TEMP.resolve(name(purpose)), 0755, 0, 0);
  }

  /** Unmounts all below, and removes the directory. */
  public static void remove(Path directory) {
    Mounts.below(directory).forEach(mount -> Mounts.unmount(mount.target()));
    if (Files.exists(directory)) {
      OwnedFiles.deleteTree(directory);
    }
  }

  private static synchronized void sweepLeftovers() {
    list(TEMP).filter(TestHost::abandoned).forEach(TestHost::remove);
    List<Path> roots =
        Mounts.all().stream()
            .filter(m -> m.type().startsWith("cgroup"))
            .map(MountPoint::target)
            .toList();
    for (Path root : roots) {
      list(root).filter(TestHost::abandoned).forEach(TestHost::removeGroups);
    }
  }

  private static void removeGroups(Path group) {
    try (var all = Files.walk(group)) {
      all.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).forEach(Syscalls::rmdir);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean abandoned(Path path) {
    Matcher name = NAME.matcher(path.toString());
    return name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty();
  }

  private static Stream<Path> list(Path directory) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(found::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found.stream();
  }
}
