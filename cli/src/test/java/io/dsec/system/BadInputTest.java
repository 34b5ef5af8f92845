// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever comes in: a clear error that names the field, never a 500. */
@ExtendWith(SharedDsec.class)
class BadInputTest {
  private final Api api;
  private final DsecProcess dsec;

  BadInputTest(Api api, DsecProcess dsec) {
    this.api = api;
    this.dsec = dsec;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"image\":\"host\",\"ram\":\"1Gi\"}|400|invalid_request|ram",
        "{\"image\":\"host\",\"resources\":{\"memory\":\"12Q\"}}|400|invalid_request|memory",
        "{\"image\":\"host\",\"resources\":{\"memory\":-5}}|400|invalid_request|memory",
        "{\"image\":\"host\",\"resources\":{\"cpu\":\"many\"}}|400|invalid_request|cpu",
        "{\"image\":\"host\",\"ttl\":\"-5s\"}|400|invalid_request|ttl",
        "{\"image\":\"\"}|400|invalid_request|image",
        "{}|400|invalid_request|image",
        "[]|400|invalid_request|",
        "{\"image\":|400|invalid_request|",
        "{\"image\":\"nosuch:1\"}|422|image_not_found|",
        "{\"image\":\"host\",\"isolation\":\"gvisor\"}|422|tier_unavailable|",
        "{\"image\":\"host\",\"isolation\":\"strong\"}|400|invalid_request|isolation",
        "{\"image\":\"host\",\"layers\":[\"x\"]}|501|not_supported|layers",
        "{\"image\":\"host\",\"resources\":{\"disk_medium\":\"tape\"}}|400|invalid_request|disk_medium",
        "{\"image\":\"host\",\"mounts\":[{\"volume\":\"v\",\"path\":\"/v\"}]}|501|not_supported|mounts",
      })
  void badCreates(
      String body, int status, String code, @org.jspecify.annotations.Nullable String field) {
    Api.Reply reply = api.post("/v1/sandboxes", body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    assertThat(reply.code()).isEqualTo(code);
    if (field != null) {
      assertThat(reply.field() + " " + reply.message()).contains(field);
    }
  }

  @Test
  void badExecs() {
    try (Box box = api.create()) {
      assertThat(box.tryRun(Map.of("argv", List.of())).field()).contains("argv");
      assertThat(box.tryRun(Map.of()).status()).isEqualTo(400);
      assertThat(box.tryRun(Map.of("argv", List.of("echo", "a\0b"))).field()).contains("argv");
      assertThat(box.tryRun(Map.of("argv", List.of("echo", "x".repeat(1 << 20)))).field())
          .contains("argv");
      assertThat(box.tryRun(Map.of("argv", List.of("true"), "timeout", -1)).field())
          .contains("timeout");
      assertThat(box.tryRun(Map.of("argv", List.of("true"), "timeout", "soon")).field())
          .contains("timeout");
      assertThat(box.tryRun(Map.of("argv", List.of("true"), "colour", "red")).field())
          .contains("colour");
      assertThat(box.tryRun(Map.of("argv", List.of("true"), "env", Map.of("A=B", "x"))).field())
          .contains("env");
      assertThat(box.exec("echo", "x".repeat(100_000)).stdoutTotal()).isEqualTo(100_001);
    }
  }

  @Test
  void unknownThingsAndStrangersAreRefused() {
    assertThat(api.get("/v1/sandboxes/sb-aaaaaaaaaaaaaaaa").code()).isEqualTo("not_found");
    assertThat(api.get("/v1/sandboxes/../etc/passwd").status()).isBetween(400, 404);
    assertThat(api.get("/v1/nonsense").status()).isEqualTo(404);
    assertThat(api.delete("/v1/sandboxes").status()).isEqualTo(400);
    assertThat(new Api(dsec.url(), "wrong").get("/v1/sandboxes").code()).isEqualTo("unauthorized");
    assertThat(new Api(dsec.url(), "wrong").get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void deletingTwiceIsFine() {
    Box box = api.create();
    box.close();
    box.close();
    assertThat(box.tryRun(Map.of("argv", List.of("true"))).status()).isIn(404, 409, 410);
  }

  @Test
  void brokenBatches() {
    assertThat(api.post("/v1/batches", Map.of("image", "host", "tasks", List.of())).status())
        .isEqualTo(400);
    Api.Reply cycle =
        api.post(
            "/v1/batches",
            Map.of(
                "image",
                "host",
                "tasks",
                List.of(
                    Map.of("id", "a", "command", List.of("true"), "after", List.of("b")),
                    Map.of("id", "b", "command", List.of("true"), "after", List.of("a")))));
    assertThat(cycle.status()).isEqualTo(400);
    assertThat(cycle.message()).contains("a", "b");
    Api.Reply twice =
        api.post(
            "/v1/batches",
            Map.of(
                "image",
                "host",
                "tasks",
                List.of(
                    Map.of("id", "a", "command", List.of("true")),
                    Map.of("id", "a", "command", List.of("true")))));
    assertThat(twice.status()).isEqualTo(400);
  }

  @Test
  void aHundredThousandTasksAreTakenAndCancelled() {
    List<Map<String, Object>> tasks = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      tasks.add(Map.of("id", "t" + i, "command", List.of("true")));
    }
    Api.Reply taken =
        api.post("/v1/batches", Map.of("name", "huge", "image", "host", "tasks", tasks));
    assertThat(taken.status()).as(taken.text()).isEqualTo(201);
    assertThat(taken.json().get("total").asInt()).isEqualTo(100_000);
    String path = "/v1/batches/" + taken.json().get("id").asString();
    assertThat(api.delete(path).status()).isEqualTo(200);
    Api.Reply over = api.get(path);
    assertThat(over.json().get("state").asString()).isEqualTo("cancelled");
    assertThat(over.json().get("states").get("ended").asInt()).isEqualTo(100_000);
  }
}
