// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.link.Json;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** HTTP to servers inside sandboxes. */
@ExtendWith(SharedDsec.class)
class PortCasesTest {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Api api;
  private final DsecProcess dsec;

  PortCasesTest(Api api, DsecProcess dsec) {
    this.api = api;
    this.dsec = dsec;
  }

  private Box served() throws IOException {
    return InnerServer.start(dsec).box();
  }

  private HttpRequest.Builder request(Box box, String rest) {
    return HttpRequest.newBuilder(
            URI.create(dsec.url() + "/v1/sandboxes/" + box.id() + "/ports/8000" + rest))
        .timeout(Duration.ofMinutes(1))
        .header("Authorization", "Bearer " + dsec.key());
  }

  private HttpRequest get(Box box, String rest) {
    return request(box, rest).build();
  }

  private static <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> body)
      throws IOException {
    try {
      return HTTP.send(request, body);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void requestsArePassedOnAndNothingOfOurs() throws Exception {
    try (Box box = served()) {
      HttpRequest request =
          request(box, "/a%2Fb/c%20d?x=1&y=%26&resume=false")
              .header("X-Mine", "kept")
              .header("X-Forwarded-For", "6.6.6.6")
              .header("Cookie", "c=1")
              .build();
      HttpResponse<String> reply = send(request, BodyHandlers.ofString());
      assertThat(reply.statusCode()).isEqualTo(200);
      assertThat(reply.headers().firstValue("X-Inner")).contains("yes");
      JsonNode seen = Json.mapper().readTree(reply.body());
      assertThat(seen.path("path").asString("")).isEqualTo("/a%2Fb/c%20d?x=1&y=%26&resume=false");
      JsonNode headers = seen.path("headers");
      assertThat(headers.path("X-Mine").asString("")).isEqualTo("kept");
      assertThat(headers.path("Cookie").asString("")).isEqualTo("c=1");
      assertThat(headers.path("Host").asString("")).isEqualTo("localhost:8000");
      assertThat(headers.path("X-Forwarded-For").asString("")).isEqualTo("127.0.0.1");
      assertThat(headers.path("X-Forwarded-Prefix").asString(""))
          .isEqualTo("/v1/sandboxes/" + box.id() + "/ports/8000");
      assertThat(reply.body()).doesNotContain(dsec.key()).doesNotContainIgnoringCase("\"auth");
      HttpResponse<String> root = send(get(box, ""), BodyHandlers.ofString());
      assertThat(Json.mapper().readTree(root.body()).path("path").asString("")).isEqualTo("/");
    }
  }

  @Test
  void bodiesOfAllKindsAndSizesGoBothWays() throws Exception {
    try (Box box = served()) {
      byte[] data = new byte[3_000_001];
      new Random(5).nextBytes(data);
      String sha = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
      for (var body :
          List.of(
              BodyPublishers.ofByteArray(data),
              BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(data)))) {
        HttpResponse<byte[]> echo =
            send(request(box, "/echo").POST(body).build(), BodyHandlers.ofByteArray());
        assertThat(echo.statusCode()).isEqualTo(201);
        assertThat(echo.headers().firstValue("X-Sha")).contains(sha);
        assertThat(echo.body()).isEqualTo(data);
      }
      HttpResponse<String> head =
          send(
              request(box, "/").method("HEAD", BodyPublishers.noBody()).build(),
              BodyHandlers.ofString());
      assertThat(head.statusCode()).isEqualTo(200);
      assertThat(head.body()).isEmpty();
      assertThat(head.headers().firstValueAsLong("Content-Length").orElse(0)).isGreaterThan(50);
      assertThat(send(request(box, "/").DELETE().build(), BodyHandlers.ofString()).statusCode())
          .isEqualTo(204);
      HttpResponse<InputStream> big = send(get(box, "/big"), BodyHandlers.ofInputStream());
      long bytes = 0;
      try (InputStream in = big.body()) {
        bytes = in.skip(Long.MAX_VALUE);
      }
      assertThat(bytes).isEqualTo(64L << 20);
    }
  }

  /** The second event is sent once a later request was answered: nothing may be held back. */
  @Test
  void eventsComeAsTheyAreSent() throws Exception {
    try (Box box = served()) {
      HttpResponse<InputStream> stream = send(get(box, "/sse"), BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
        assertThat(lines.readLine()).isEqualTo("data: 1");
        assertThat(send(get(box, "/go"), BodyHandlers.ofString()).body()).isEqualTo("went");
        assertThat(lines.readLine()).isEmpty();
        assertThat(lines.readLine()).isEqualTo("data: 2");
      }
    }
  }

  @Test
  void aServerThatIsNotThereOrBreaksOffIsTold() throws Exception {
    try (Box box = served()) {
      Api.Reply nobody = api.get("/v1/sandboxes/" + box.id() + "/ports/8001/");
      assertThat(nobody.status()).as(nobody.text()).isEqualTo(409);
      assertThat(nobody.code()).isEqualTo("conflict");
      assertThat(nobody.message()).contains("8001");
      assertThat(nobody.field()).isEqualTo("port");
      assertThat(api.get("/v1/sandboxes/" + box.id() + "/ports/8000/close").status())
          .isEqualTo(502);
      assertThat(api.get("/v1/sandboxes/" + box.id() + "/ports/99999/").field()).isEqualTo("port");
      assertThatThrownBy(() -> send(get(box, "/break"), BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
      HttpRequest nokey =
          HttpRequest.newBuilder(
                  URI.create(dsec.url() + "/v1/sandboxes/" + box.id() + "/ports/8000/"))
              .build();
      assertThat(send(nokey, BodyHandlers.ofString()).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void aRequestResumesAPausedSandboxUnlessAskedNotTo() throws Exception {
    try (Box box = served()) {
      api.post("/v1/sandboxes/" + box.id() + "/pause", "");
      HttpRequest refused = request(box, "/").header("Dsec-No-Resume", "1").build();
      assertThat(send(refused, BodyHandlers.ofString()).statusCode()).isEqualTo(409);
      assertThat(box.state()).isEqualTo("paused");
      assertThat(send(get(box, "/"), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }
  }
}
