// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Terminal;
import io.dsec.client.Pause;
import io.dsec.server.Server;
import io.dsec.server.ServerConfig;
import io.dsec.server.schedule.NodeDirectory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Map;

/**
 * Does once what commands do, so that Java can keep their classes loaded and linked in a cache
 * beside the distribution ({@code -XX:AOTCacheOutput}): against a server without nodes, in a
 * directory of its own.
 */
public final class Training {
  private static final String[] LINES = {
    "--help",
    "sandbox ls",
    "sandbox show sb-aaaaaaaaaaaaaaaa -o json",
    "sandbox create host --no-wait --cpu 1 --memory 64Mi -e A=b",
    "run host -- true",
    "exec sb-aaaaaaaaaaaaaaaa --timeout 1s -- true",
    "trajectory show sb-aaaaaaaaaaaaaaaa"
  };

  private Training() {}

  public static void main(String[] args) throws IOException {
    LogSetup.quietHelidon();
    Path data = DataDirectory.temporary();
    try (Server server =
        Server.start(
            ServerConfig.defaults(data).listening("127.0.0.1", 0),
            new NodeDirectory(Clock.systemUTC()),
            new PrometheusRegistry())) {
      Surroundings around =
          around("http://127.0.0.1:" + server.port(), Files.readString(data.resolve("admin-key")));
      for (String line : LINES) {
        int _ = Main.commands(around).execute(line.split(" ", -1));
      }
    } finally {
      DataDirectory.remove(data);
    }
  }

  private static Surroundings around(String url, String key) {
    return new Surroundings(
        new Terminal(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            true,
            true,
            Map.of("DSEC_URL", url, "DSEC_API_KEY", key.strip())),
        new OnExit(),
        InstantSource.system(),
        Pause.SLEEPING);
  }
}
