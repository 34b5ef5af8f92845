// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.term;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The process's streams and surroundings, so that tests can bring their own.
 *
 * @param out raw: what is written is with the reader at once
 */
public record Terminal(
    InputStream in,
    OutputStream out,
    OutputStream err,
    boolean outIsTerminal,
    boolean errIsTerminal,
    Map<String, String> environment) {
  private static final int WIDTH = 80;

  public static Terminal ofProcess() {
    return new Terminal(
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        isTerminal(1),
        isTerminal(2),
        System.getenv());
  }

  /** Text to standard output; each line goes out as a whole. */
  public PrintStream print() {
    return new PrintStream(new BufferedOutputStream(out), true, StandardCharsets.UTF_8);
  }

  /** Text to standard error. */
  public PrintStream complain() {
    return new PrintStream(new BufferedOutputStream(err), true, StandardCharsets.UTF_8);
  }

  public Style outStyle() {
    return new Style(outIsTerminal && coloursWanted());
  }

  public Style errStyle() {
    return new Style(errIsTerminal && coloursWanted());
  }

  /** Columns of the terminal, as far as the environment tells. */
  public int width() {
    String columns = environment.getOrDefault("COLUMNS", "");
    return columns.matches("\\d{1,4}") ? Math.max(20, Integer.parseInt(columns)) : WIDTH;
  }

  private boolean coloursWanted() {
    return environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !"dumb".equals(environment.get("TERM"));
  }

  /** {@code /proc/self/fd/N} names a terminal as {@code /dev/pts/3}, {@code /dev/tty1}, …. */
  private static boolean isTerminal(int fd) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException _) {
      return false;
    }
  }
}
