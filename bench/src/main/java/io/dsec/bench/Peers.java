// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What DSec is measured against on the same machine in the same run. */
final class Peers {
  private Peers() {}

  /**
   * {@code runc run} of {@code true} on the host's programs: namespaces, mounts, cgroups, no
   * network.
   */
  static final class Runc implements AutoCloseable {
    private final Path bundle = Files.createTempDirectory("dsec-bench-runc");
    private int count;
    private @Nullable String running;

    Runc() throws IOException {
      for (String dir : List.of("usr", "proc", "dev", "sys", "tmp", "etc")) {
        Files.createDirectories(bundle.resolve("rootfs").resolve(dir));
      }
      for (String link : List.of("bin", "lib", "lib64", "sbin")) {
        Files.createSymbolicLink(bundle.resolve("rootfs").resolve(link), Path.of("usr/" + link));
      }
      Files.writeString(bundle.resolve("config.json"), CONFIG);
      Files.setPosixFilePermissions(bundle, PosixFilePermissions.fromString("rwx------"));
    }

    void run() throws Exception {
      check(new ProcessBuilder("runc", "run", "-b", bundle.toString(), name()));
    }

    /** {@code runc exec} of {@code true}, in a container that runs from the first call on. */
    void exec() throws Exception {
      String container = running;
      if (container == null) {
        container = name();
        Files.writeString(
            bundle.resolve("config.json"), CONFIG.replace("[\"true\"]", "[\"sleep\", \"3600\"]"));
        quiet("runc", "run", "-d", "-b", bundle.toString(), container);
        running = container;
      }
      check(new ProcessBuilder("runc", "exec", container, "true"));
    }

    private String name() {
      return "dsec-bench-" + ProcessHandle.current().pid() + "-" + count++;
    }

    /** What stays behind would hold a pipe open. */
    private static void quiet(String... command) throws IOException {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        if (process.waitFor() != 0) {
          throw new IOException(String.join(" ", command) + " ended with " + process.exitValue());
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      if (running != null) {
        quiet("runc", "delete", "-f", running);
      }
      try (Stream<Path> files = Files.walk(bundle)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }

    private static final String CONFIG =
        """
        {"ociVersion": "1.0.2",
         "process": {"terminal": false, "user": {"uid": 0, "gid": 0}, "args": ["true"], "cwd": "/",
                     "env": ["PATH=/usr/bin:/bin"], "noNewPrivileges": true},
         "root": {"path": "rootfs", "readonly": true},
         "hostname": "bench",
         "mounts": [
           {"destination": "/usr", "type": "bind", "source": "/usr", "options": ["bind", "ro"]},
           {"destination": "/proc", "type": "proc", "source": "proc"},
           {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=65536k"]}],
         "linux": {"resources": {"memory": {"limit": 536870912}, "pids": {"limit": 256}},
                   "namespaces": [{"type": "pid"}, {"type": "network"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}]}}
        """;
  }

  /** Bare fork and exec of a program, no isolation at all. */
  static void forkExec() throws Exception {
    check(new ProcessBuilder("true"));
  }

  /** Bytes per second that a local pipe carries from the same program to this process. */
  static double pipe(List<String> argv, long bytes) throws Exception {
    long start = System.nanoTime();
    Process process = new ProcessBuilder(argv).start();
    byte[] buffer = new byte[256 << 10];
    long got = 0;
    try (InputStream in = process.getInputStream()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        got += n;
      }
    }
    if (process.waitFor() != 0 || got != bytes) {
      throw new IOException(argv + " gave " + got + " bytes instead of " + bytes);
    }
    return bytes * 1e9 / (System.nanoTime() - start);
  }

  static void check(ProcessBuilder builder) throws Exception {
    Process process = builder.redirectErrorStream(true).start();
    byte[] said = process.getInputStream().readAllBytes();
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(
          builder.command()
              + " ended with "
              + code
              + ": "
              + new String(said, java.nio.charset.StandardCharsets.UTF_8));
    }
  }
}
