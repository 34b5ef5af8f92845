// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.client.DsecClient;
import io.dsec.client.Endpoint;
import io.dsec.link.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** The HTTP surface, spoken plainly: what a user with curl sees. */
final class Api {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final String url;
  private final String key;

  Api(String url, String key) {
    this.url = url;
    this.key = key;
  }

  record Reply(int status, String text) {
    JsonNode json() {
      return Json.mapper().readTree(text);
    }

    String code() {
      return json().path("error").path("code").asString("");
    }

    String field() {
      return json().path("error").path("field").asString("");
    }

    String message() {
      return json().path("error").path("message").asString("");
    }
  }

  /** The Java client of the same server. */
  DsecClient client() {
    return new DsecClient(new Endpoint(URI.create(url), key));
  }

  Reply get(String path) {
    return send("GET", path, null);
  }

  Reply post(String path, Object body) {
    return send(
        "POST", path, body instanceof String raw ? raw : Json.mapper().writeValueAsString(body));
  }

  Reply delete(String path) {
    return send("DELETE", path, null);
  }

  private Reply send(String method, String path, @org.jspecify.annotations.Nullable String body) {
    HttpRequest.Builder request = request(path);
    request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    try {
      var reply = HTTP.send(request.build(), BodyHandlers.ofString());
      return new Reply(reply.statusCode(), reply.body());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path))
        .timeout(Duration.ofMinutes(5))
        .header("Authorization", "Bearer " + key)
        .header("Content-Type", "application/json");
  }

  /** A running sandbox of image host with these fields over the defaults. */
  Box create(Map<String, ?> fields) {
    Map<String, Object> body = new TreeMap<>(fields);
    body.putIfAbsent("image", "host");
    body.putIfAbsent("wait_timeout", "60s");
    Reply reply = post("/v1/sandboxes", body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return new Box(this, reply.json().path("id").asString(""));
  }

  Box create() {
    return create(Map.of());
  }

  /** Lines of an NDJSON reply, read to its end. */
  List<JsonNode> stream(String path, Object body) {
    HttpRequest request =
        request(path)
            .header("Accept", "application/x-ndjson")
            .POST(BodyPublishers.ofString(Json.mapper().writeValueAsString(body)))
            .build();
    try (var lines = HTTP.send(request, BodyHandlers.ofLines()).body()) {
      List<JsonNode> out = new ArrayList<>();
      lines.filter(l -> !l.isBlank()).forEach(l -> out.add(Json.mapper().readTree(l)));
      return out;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The reply as it comes; closing it drops the connection. */
  InputStream open(String path, Object body) {
    HttpRequest request =
        request(path)
            .header("Accept", "application/x-ndjson")
            .POST(BodyPublishers.ofString(Json.mapper().writeValueAsString(body)))
            .build();
    try {
      return HTTP.send(request, BodyHandlers.ofInputStream()).body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
