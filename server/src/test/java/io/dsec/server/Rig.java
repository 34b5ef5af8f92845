// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import io.dsec.link.Json;
import io.dsec.model.Guarantee;
import io.dsec.server.admit.AdmissionSettings;
import io.dsec.server.schedule.NodeDirectory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import tools.jackson.databind.JsonNode;

/** A server on a free port over a {@link FakeNode}, and a client with its admin key. */
@NullMarked
final class Rig implements AutoCloseable {
  final FakeNode node;
  private final NodeDirectory nodes;
  private final ServerConfig config;
  private final HttpClient http = HttpClient.newHttpClient();
  private final ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();
  private Server server;

  Rig(Path data, UnaryOperator<ServerConfig> change, double cpus, boolean enforce) {
    Clock clock = Clock.systemUTC();
    nodes = new NodeDirectory(clock);
    node = new FakeNode(nodes.events(), clock, new Guarantee(cpus, 1L << 40), enforce);
    nodes.join(node);
    config =
        change.apply(
            ServerConfig.defaults(data)
                .listening("127.0.0.1", 0)
                .with(AdmissionSettings.DEFAULT.lifted()));
    server = Server.start(config, nodes, new PrometheusRegistry());
    var _ = beats.scheduleAtFixedRate(node::beat, 1, 1, TimeUnit.SECONDS);
  }

  static Rig on(Path data) {
    return new Rig(data, c -> c, 1000, false);
  }

  Server server() {
    return server;
  }

  /** Ends the server as it is and starts another on the same data and node. */
  void restart() {
    server.close();
    server = Server.start(config, nodes, new PrometheusRegistry());
  }

  String key() {
    try {
      return Files.readString(config.data().resolve("admin-key")).strip();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
        .header("Authorization", "Bearer " + key());
  }

  Reply get(String path) {
    return send(request(path).GET());
  }

  Reply delete(String path) {
    return send(request(path).DELETE());
  }

  Reply post(String path, String body) {
    return send(request(path).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  Reply send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Reply(response);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  record Reply(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String text() {
      return response.body();
    }

    JsonNode json() {
      return Json.mapper().readTree(response.body());
    }

    String at(String pointer) {
      return json().at(pointer).asString("");
    }
  }

  @Override
  public void close() {
    beats.shutdownNow();
    server.close();
  }
}
