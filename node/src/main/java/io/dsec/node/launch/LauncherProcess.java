// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.launch;

import io.dsec.node.time.Timers;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running {@code dsec-guest launch}. It leaves when its stdin, which we hold, is closed. */
final class LauncherProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LauncherProcess.class);
  private static final Duration TO_READY = Duration.ofSeconds(10);

  private final Process process;

  private LauncherProcess(Process process) {
    this.process = process;
  }

  /** Returns once it listens on {@code socket}. */
  static LauncherProcess start(Path program, Path socket, Timers timers) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(program.toString(), "launch", "--socket", socket.toString());
    builder.environment().clear();
    Process process = builder.start();
    LauncherProcess launcher = new LauncherProcess(process);
    Thread.ofPlatform()
        .daemon()
        .name("launcher-log")
        .start(() -> copyToLog(process.errorReader(StandardCharsets.UTF_8)));
    Timers.Handle deadline = timers.after(TO_READY, process::destroyForcibly);
    try {
      String line = process.inputReader(StandardCharsets.UTF_8).readLine();
      if (!"ready".equals(line)) {
        launcher.close();
        throw new IOException(
            "%s launch did not become ready (it said \"%s\"); see its lines in the log"
                .formatted(program, line));
      }
      return launcher;
    } finally {
      deadline.cancel();
    }
  }

  private static void copyToLog(BufferedReader lines) {
    try (lines) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        log.warn("launcher: {}", line);
      }
    } catch (IOException _) {
      // it is gone, and its end is noticed elsewhere
    }
  }

  long pid() {
    return process.pid();
  }

  boolean alive() {
    return process.isAlive();
  }

  /** Returns once it is gone. */
  void kill() {
    try {
      process.destroyForcibly().waitFor(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(1, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
