// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What nodes of tests leave on the host, and its removal after a killed run. */
final class Leftovers {
  private static final Path ROOT = Path.of("/var/tmp");
  private static final String PREFIX = "dsec-t";
  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)-\\d+");

  private Leftovers() {}

  /** Starts a node on each directory of an earlier run and closes it: it cleans up after itself. */
  static void sweep() throws IOException {
    List<Path> old;
    try (Stream<Path> all = Files.list(ROOT)) {
      old = all.filter(Leftovers::abandoned).toList();
    }
    for (Path directory : old) {
      if (Files.exists(directory.resolve("instance"))) {
        try (TestNode node = TestNode.on(directory)) {
          node.node.info();
        } catch (io.dsec.model.DsecException busy) {
          continue; // another run uses it
        }
      }
      delete(directory);
    }
  }

  static Path make() throws IOException {
    return Files.createTempDirectory(ROOT, PREFIX + ProcessHandle.current().pid() + "-");
  }

  /** Made by a test run whose process is gone: {@code dsec-t4711-123456}. */
  private static boolean abandoned(Path directory) {
    Matcher m = NAME.matcher(String.valueOf(directory.getFileName()));
    return m.matches() && ProcessHandle.of(Long.parseLong(m.group(1))).isEmpty();
  }

  static List<Path> groups(String instance) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> hierarchies = Files.list(Path.of("/sys/fs/cgroup"))) {
      hierarchies.map(h -> h.resolve("dsec-" + instance)).filter(Files::exists).forEach(found::add);
    }
    return found;
  }

  static List<String> mounts(Path data) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
        .filter(line -> line.contains(data.toString()))
        .toList();
  }

  static void delete(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(
              Path dir, @org.jspecify.annotations.Nullable IOException e) {
            try {
              Files.delete(dir);
            } catch (IOException failed) {
              throw new UncheckedIOException(failed);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
