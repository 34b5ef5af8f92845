// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** The file calls of one sandbox, spoken plainly. */
final class FileApi implements AutoCloseable {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final DsecProcess dsec;
  private final String box;

  FileApi(DsecProcess dsec, Box box) {
    this.dsec = dsec;
    this.box = box.id();
  }

  static String encode(String path) {
    return URLEncoder.encode(path, StandardCharsets.UTF_8);
  }

  /** {@code query}: of the encoded path and whatever follows. */
  String uri(String call, String query) {
    return dsec.url()
        + "/v1/sandboxes/"
        + box
        + "/"
        + call
        + (query.isEmpty() ? "" : "?path=" + query);
  }

  HttpRequest.Builder request(String call, String query) {
    return HttpRequest.newBuilder(URI.create(uri(call, query)))
        .timeout(Duration.ofMinutes(5))
        .header("Authorization", "Bearer " + dsec.key());
  }

  <T> HttpResponse<T> send(HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler) {
    try {
      return http.send(request.build(), handler);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  Api.Reply reply(HttpRequest.Builder request) {
    HttpResponse<String> reply = send(request, BodyHandlers.ofString());
    return new Api.Reply(reply.statusCode(), reply.body());
  }

  Api.Reply put(String path, BodyPublisher body, String more) {
    return reply(request("files", encode(path) + more).PUT(body));
  }

  Api.Reply put(String path, String text) {
    return put(path, BodyPublishers.ofString(text), "");
  }

  Api.Reply put(String path, byte[] content) {
    return put(path, BodyPublishers.ofByteArray(content), "");
  }

  HttpResponse<byte[]> get(String path, String... headers) {
    HttpRequest.Builder request = request("files", encode(path));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return send(request, BodyHandlers.ofByteArray());
  }

  /** Content of a file that is there. */
  String text(String path) {
    HttpResponse<byte[]> reply = get(path);
    String body = new String(reply.body(), StandardCharsets.UTF_8);
    assertThat(reply.statusCode()).as(body).isEqualTo(200);
    return body;
  }

  /** The reply to reading it, as an error. */
  Api.Reply tryGet(String path) {
    return reply(request("files", encode(path)));
  }

  JsonNode stat(String path) {
    Api.Reply reply = reply(request("files", encode(path) + "&stat=true"));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json();
  }

  Api.Reply delete(String query) {
    return reply(request("files", query).DELETE());
  }

  Api.Reply list(String query) {
    return reply(request("directory", query));
  }

  Api.Reply post(String call, Map<String, ?> body) {
    String json = Json.mapper().writeValueAsString(new TreeMap<>(body));
    return reply(
        request("files/" + call, "")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json)));
  }

  HttpResponse<InputStream> open(String call, String query) {
    return send(request(call, query), BodyHandlers.ofInputStream());
  }

  @Override
  public void close() {
    http.close();
  }
}
