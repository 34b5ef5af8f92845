// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.server.admit.AdmissionSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AdmissionTest {
  private static final String UNIT =
      "{\"image\":\"host\",\"guaranteed\":{\"cpu\":1},\"wait_timeout\":\"200ms\"}";
  @TempDir Path data;

  /** F16: exactly what fits runs, the rest waits with a reason, and capacity comes back. */
  @Test
  void aFullNodeTakesNoMoreAndGivesBackWhatItGot() {
    try (Rig rig = new Rig(data, c -> c, 3, true)) {
      for (int i = 0; i < 3; i++) {
        assertThat(rig.post("/v1/sandboxes", UNIT).status()).isEqualTo(201);
      }
      Rig.Reply waiting = rig.post("/v1/sandboxes", UNIT);
      assertThat(waiting.status()).isEqualTo(202);
      assertThat(waiting.at("/state")).isEqualTo("queued");
      String url = "/v1/sandboxes/" + waiting.at("/id");
      assertThat(rig.get(url).at("/reason")).isEqualTo("no_capacity");
      assertThat(rig.get(url).at("/message")).contains("needs 1.00 CPU");
      String small = UNIT.replace("\"cpu\":1", "\"cpu\":0");
      assertThat(rig.post("/v1/sandboxes", small).status())
          .as("smaller work passes")
          .isEqualTo(201);
      String first = rig.node.placements.element().id().value();
      assertThat(rig.delete("/v1/sandboxes/" + first).status()).isEqualTo(204);
      await().until(() -> rig.get(url).at("/state").equals("running"));
      assertThat(rig.post("/v1/sandboxes", UNIT).status()).isEqualTo(202);
    }
  }

  /** I3: a tenant that creates in a storm is told when to come again, and others are not. */
  @Test
  void aStormOfCreatesIsHeldAtTheDoor() {
    AdmissionSettings strict = new AdmissionSettings(1, 5, 0, 32, 100);
    try (Rig rig = new Rig(data, c -> c.with(strict), 1000, false)) {
      int refused = 0;
      for (int i = 0; i < 20; i++) {
        Rig.Reply reply = rig.post("/v1/sandboxes", "{\"image\":\"host\"}");
        if (reply.status() == 429) {
          refused++;
          assertThat(reply.at("/error/code")).isEqualTo("rate_limited");
          assertThat(reply.response().headers().firstValue("Retry-After")).isPresent();
        }
      }
      assertThat(refused).isGreaterThan(5);
      assertThat(rig.node.placements).hasSize(20 - refused);
      assertThat(rig.get("/healthz").status()).isEqualTo(200);
      String key = rig.post("/v1/keys", "{\"tenant\":\"other\"}").at("/key");
      assertThat(
              rig.send(
                      rig.request("/v1/sandboxes")
                          .setHeader("Authorization", "Bearer " + key)
                          .POST(
                              java.net.http.HttpRequest.BodyPublishers.ofString(
                                  "{\"image\":\"host\"}")))
                  .status())
          .isEqualTo(201);
    }
  }

  /** What ran goes on after a restart of the server, and what waited is placed then. */
  @Test
  void aRestartKeepsWhatRunsAndWhatWaits() {
    try (Rig rig = new Rig(data, c -> c, 1, true)) {
      String runs = rig.post("/v1/sandboxes", UNIT).at("/id");
      String waits = rig.post("/v1/sandboxes", UNIT).at("/id");
      String secret =
          rig.post(
                  "/v1/sandboxes",
                  UNIT.replace("{\"image\"", "{\"secrets\":{\"T\":\"x\"},\"image\""))
              .at("/id");
      rig.restart();
      assertThat(rig.get("/v1/sandboxes/" + runs).at("/state")).isEqualTo("running");
      assertThat(rig.get("/v1/sandboxes/" + secret).at("/reason")).isEqualTo("server_restarted");
      assertThat(rig.post("/v1/sandboxes/" + runs + "/exec", "{\"argv\":[\"hi\"]}").at("/stdout"))
          .isEqualTo("hi");
      assertThat(rig.delete("/v1/sandboxes/" + runs).status()).isEqualTo(204);
      await().until(() -> rig.get("/v1/sandboxes/" + waits).at("/state").equals("running"));
    }
  }
}
