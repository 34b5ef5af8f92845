// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Programs of the host that the node runs: mkfs and its kin. Each is bounded in time. */
public final class Program {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/local/sbin"),
          Path.of("/usr/local/bin"),
          Path.of("/usr/sbin"),
          Path.of("/usr/bin"),
          Path.of("/sbin"),
          Path.of("/bin"));

  private static final int MAX_MESSAGE = 400;

  private Program() {}

  /** Where the host has it; {@code PATH} of the service is not asked. */
  public static Optional<Path> find(String name) {
    return PLACES.stream().map(p -> p.resolve(name)).filter(Files::isExecutable).findFirst();
  }

  /** Runs to its end; its output is in the exception when it fails. A minute at most. */
  public static void run(String name, String... arguments) {
    run(Duration.ofMinutes(1), name, arguments);
  }

  /** Kills the program when it takes longer than {@code most}. */
  public static void run(Duration most, String name, String... arguments) {
    Path program =
        find(name).orElseThrow(() -> new IllegalStateException(name + " is not installed"));
    List<String> line = new ArrayList<>(List.of(program.toString()));
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("LC_ALL", "C");
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      var watch = Thread.ofVirtual().start(() -> killLate(process, most));
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int status = waitFor(process);
      watch.interrupt();
      if (status != 0) {
        throw new IllegalStateException(
            "%s ended with status %d: %s".formatted(String.join(" ", line), status, head(output)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void killLate(Process process, Duration most) {
    try {
      if (!process.waitFor(most)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static int waitFor(Process process) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static String head(String text) {
    return text.length() > MAX_MESSAGE ? text.substring(0, MAX_MESSAGE) + "…" : text;
  }
}
