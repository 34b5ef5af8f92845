// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One {@code dsec up} as a process, with a data directory of its own. */
final class DsecProcess implements AutoCloseable {
  private static final Pattern URL = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
  private static final Path ROOT = Path.of(System.getProperty("dsec.root", "..")).toAbsolutePath();

  private final Process process;
  private final Path data;
  private final String url;

  private DsecProcess(Process process, Path data, String url) {
    this.process = process;
    this.data = data;
    this.url = url;
  }

  /** Starts a server and node on a free port and waits until it tells its address. */
  static DsecProcess start(Path data, String... javaOptions) {
    try {
      // Tests create far more than 50 sandboxes a second; what waits for CPU is not what they test.
      Path settings = Files.createDirectories(data).resolve("settings.yaml");
      Files.writeString(
          settings, "admission: {creates_per_second: 0}\nnode: {cpu_overcommit: 16}\n");
      Process process =
          command(
                  data,
                  List.of(javaOptions),
                  "up",
                  "--data",
                  data.toString(),
                  "--listen",
                  "127.0.0.1:0",
                  "--config",
                  settings.toString())
              .redirectError(data.resolve("stderr.log").toFile())
              .start();
      BufferedReader out = process.inputReader();
      StringBuilder said = new StringBuilder();
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        said.append(line).append('\n');
        Matcher m = URL.matcher(line);
        if (m.find()) {
          return new DsecProcess(process, data, m.group());
        }
      }
      throw new AssertionError(
          "dsec up ended before it told its address: "
              + said
              + Files.readString(data.resolve("stderr.log")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Any dsec command as a process; HOME is the data directory, so that nothing of the user's is
   * touched.
   */
  static ProcessBuilder command(Path home, List<String> javaOptions, String... args) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:TieredStopAtLevel=1",
            "-Xmx768m"));
    line.add("-Ddsec.home=" + home());
    line.addAll(javaOptions);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.dsec.cli.Main"));
    line.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(line).directory(ROOT.toFile());
    builder.environment().put("HOME", home.toString());
    builder.environment().remove("DSEC_URL");
    builder.environment().remove("DSEC_API_KEY");
    return builder;
  }

  /** A distribution with the guest that was built; the jars are the test's own class path. */
  private static Path home() {
    Path home = ROOT.resolve("cli/target/test-home");
    Path bin = home.resolve("bin");
    Path guest = ROOT.resolve("guest/target/x86_64-unknown-linux-gnu/release/dsec-guest");
    try {
      Files.createDirectories(bin);
      Path link = bin.resolve("dsec-guest");
      if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
        Files.createSymbolicLink(link, guest);
      }
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path root() {
    return ROOT;
  }

  Api api() {
    return new Api(url, key());
  }

  String key() {
    try {
      return Files.readString(data.resolve("admin-key")).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path data() {
    return data;
  }

  String url() {
    return url;
  }

  long pid() {
    return process.pid();
  }

  /** As a crash does it. */
  void kill9() {
    process.destroyForcibly();
    waitFor(Duration.ofSeconds(10));
  }

  private boolean waitFor(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** TERM, as an init system does it; the graceful stop removes all sandboxes. */
  @Override
  public void close() {
    if (!process.isAlive()) {
      return;
    }
    process.destroy();
    boolean ended = waitFor(Duration.ofSeconds(60));
    if (!ended) {
      kill9();
    }
    assertThat(ended).as("dsec up stops within a minute of TERM").isTrue();
  }
}
