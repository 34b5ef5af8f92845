// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Terminal;
import io.dsec.client.Credentials;
import io.dsec.client.Pause;
import io.dsec.link.Json;
import io.dsec.server.Server;
import io.dsec.server.ServerConfig;
import io.dsec.server.schedule.NodeDirectory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Does once what commands do, so that Java can keep their classes loaded and linked in a cache
 * beside the distribution ({@code -XX:AOTCacheOutput}): against a server without nodes, in a
 * directory of its own.
 */
public final class Training {
  private static final List<String> LINES =
      List.of(
          "--help",
          "sandbox show sb-aaaaaaaaaaaaaaaa -o json",
          "sandbox create host --no-wait --cpu 1 --memory 64Mi -e A=b",
          "sandbox ls",
          "exec sb-aaaaaaaaaaaaaaaa --timeout 1s -- true",
          "run host -- true",
          "trajectory show sb-aaaaaaaaaaaaaaaa");

  /** Without a node there are no sandboxes to list. */
  private static final String ROW =
      """
      {"id": "sb-aaaaaaaaaaaaaaaa", "state": "running", "tier": "container", "labels": {"a": "b"},
       "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-01T00:30:00.5Z",
       "resources": {"cpu": 0.5, "memory": 536870912}}
      """;

  private Training() {}

  /** For commands that may bring a server of their own: it is part of what is learned. */
  public static final class Embedding {
    private Embedding() {}

    public static void main(String[] args) throws IOException {
      LogSetup.quietHelidon();
      Path data = DataDirectory.temporary();
      try (Server server = serve(data)) {
        call(home(data, server));
      } finally {
        DataDirectory.remove(data);
      }
    }
  }

  /** For commands that only call a server: each class more would cost each of them. */
  public static final class Calling {
    private Calling() {}

    public static void main(String[] args) throws IOException {
      Path java = Path.of(System.getProperty("java.home"), "bin", "java");
      Process server =
          new ProcessBuilder(
                  java.toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Serving.class.getName())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (OutputStream _ = server.getOutputStream();
          BufferedReader said = server.inputReader()) {
        String home = said.readLine();
        if (home == null) {
          throw new IOException("the server did not start");
        }
        call(home);
      }
    }
  }

  /** Tells the home directory of a user who may call it; ends with its standard input. */
  public static final class Serving {
    private Serving() {}

    public static void main(String[] args) throws IOException {
      LogSetup.quietHelidon();
      Path data = DataDirectory.temporary();
      try (Server server = serve(data)) {
        System.out.println(home(data, server));
        long _ = System.in.transferTo(OutputStream.nullOutputStream());
      } finally {
        DataDirectory.remove(data);
      }
    }
  }

  private static Server serve(Path data) {
    return Server.start(
        ServerConfig.defaults(data).listening("127.0.0.1", 0),
        new NodeDirectory(Clock.systemUTC()),
        new PrometheusRegistry());
  }

  /** Of a user with credentials for the server, which are read as at each call. */
  private static String home(Path data, Server server) throws IOException {
    Path home = data.resolve("home");
    new Credentials(
            URI.create("http://127.0.0.1:" + server.port()),
            Files.readString(data.resolve("admin-key")).strip())
        .write(Credentials.defaultFile(Map.of("HOME", home.toString())));
    return home.toString();
  }

  private static void call(String home) {
    Path credentials = Credentials.defaultFile(Map.of("HOME", home));
    URI url = Credentials.read(credentials).orElseThrow().url();
    Surroundings around = around(Map.of("HOME", home, "DSEC_URL", url.toString()));
    for (String line : LINES) {
      String[] args = line.split(" ", -1);
      int _ = Main.commands(around, args).execute(args);
    }
    JsonNode row = Json.mapper().readTree(ROW);
    var _ = SandboxTable.lines(around.terminal().outStyle(), List.of(row), Instant.now());
  }

  /** The server is named, so that no command brings one of its own where that one has ended. */
  private static Surroundings around(Map<String, String> environment) {
    return new Surroundings(
        new Terminal(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            true,
            true,
            environment),
        new OnExit(),
        InstantSource.system(),
        Pause.SLEEPING);
  }
}
