// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.DsecClient;
import io.dsec.client.Endpoint;
import io.dsec.client.SandboxRequest;
import io.dsec.model.SandboxId;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A {@code dsec up} in a process of its own, started by the user's door, with the entry limit
 * lifted.
 */
final class Dsec implements AutoCloseable {
  static final Path ROOT = Path.of(System.getProperty("dsec.root", ".")).toAbsolutePath();
  private static final Pattern URL = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");

  private final Process process;
  private final Path data;
  private final DsecClient client;

  private Dsec(Process process, Path data, DsecClient client) {
    this.process = process;
    this.data = data;
    this.client = client;
  }

  static Dsec start() throws IOException {
    Path data = Files.createTempDirectory("dsec-bench");
    Path config = data.resolve("bench.yaml");
    Files.writeString(
        config,
        "admission: {creates_per_second: 0, placements_per_second: 0}\nnode: {cpu_overcommit: 16}\n");
    List<String> line = new ArrayList<>();
    line.add(ROOT.resolve("dsec").toString());
    line.addAll(
        List.of(
            "up",
            "--data",
            data.toString(),
            "--listen",
            "127.0.0.1:0",
            "--config",
            config.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectError(data.resolve("stderr.log").toFile());
    builder.environment().put("HOME", data.toString());
    Process process = builder.start();
    BufferedReader out = process.inputReader();
    for (String said = out.readLine(); said != null; said = out.readLine()) {
      Matcher m = URL.matcher(said);
      if (m.find()) {
        String key = Files.readString(data.resolve("admin-key")).strip();
        return new Dsec(process, data, new DsecClient(new Endpoint(URI.create(m.group()), key)));
      }
    }
    throw new IOException("dsec up did not start: " + Files.readString(data.resolve("stderr.log")));
  }

  DsecClient client() {
    return client;
  }

  /** A connection for whoever measures the server and no client. */
  Wire wire() throws IOException {
    return new Wire(client.endpoint());
  }

  SandboxId create(SandboxRequest request) {
    return client.sandboxes().create(request).id();
  }

  void delete(SandboxId id) {
    client.sandboxes().delete(id, Duration.ZERO);
  }

  /** Clients that this starts find the server by its credentials. */
  void letFind(ProcessBuilder builder) {
    builder.environment().put("HOME", data.toString());
    builder.environment().keySet().removeAll(List.of("DSEC_URL", "DSEC_API_KEY"));
  }

  /** The user's door, with this server as its own. */
  ProcessBuilder command(String... args) {
    List<String> line = new ArrayList<>(List.of(ROOT.resolve("dsec").toString()));
    line.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(line);
    letFind(builder);
    return builder;
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() throws IOException {
    client.close();
    process.destroy();
    try {
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        System.err.println("bench: dsec up did not stop within two minutes");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
