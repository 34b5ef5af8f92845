// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.server.reap.ReapSettings;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forks, bulk creates, pauses, waits and nodes, as the server alone decides them. */
final class ForkApiTest {
  private static final String HOST = "{\"image\": \"host\"}";
  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void start() {
    rig = Rig.on(data);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private String create() {
    Rig.Reply reply = rig.post("/v1/sandboxes", HOST);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.at("/id");
  }

  private Rig.Reply keyed(String path, String body) {
    return rig.send(
        rig.request(path).header("Idempotency-Key", "k1").POST(BodyPublishers.ofString(body)));
  }

  @Test
  void aForkIsPlacedWithItsParentsLayerAndRepeatedByItsKey() {
    String parent = create();
    Rig.Reply first = keyed("/v1/sandboxes/" + parent + "/fork", "{\"count\":3}");
    assertThat(first.status()).as(first.text()).isEqualTo(201);
    assertThat(rig.node.placements).hasSize(4);
    rig.node.placements.stream()
        .skip(1)
        .forEach(
            order -> {
              assertThat(order.fork().orElseThrow().parent()).isEqualTo(new SandboxId(parent));
              assertThat(order.spec().hostname()).isEmpty();
            });
    assertThat(rig.node.copies).as("the copy is given back").isEmpty();
    Rig.Reply again = keyed("/v1/sandboxes/" + parent + "/fork", "{\"count\":3}");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.at("/sandboxes/2/id")).isEqualTo(first.at("/sandboxes/2/id"));
    assertThat(rig.node.placements).hasSize(4);
    assertThat(keyed("/v1/sandboxes/" + parent + "/fork", "{\"count\":4}").status()).isEqualTo(409);
    rig.restart();
    assertThat(rig.get("/v1/sandboxes/" + first.at("/sandboxes/0/id")).at("/parent"))
        .isEqualTo(parent);
  }

  @Test
  void whenOneForkDoesNotStartNoneIsKept() {
    String parent = create();
    AtomicInteger starts = new AtomicInteger();
    rig.node.onPlace =
        _ -> {
          if (starts.incrementAndGet() == 3) {
            throw DsecException.of(ErrorCode.SANDBOX_FAILED, "no luck");
          }
          return true;
        };
    Rig.Reply reply = rig.post("/v1/sandboxes/" + parent + "/fork", "{\"count\":5}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(409);
    assertThat(reply.at("/error/code")).isEqualTo("sandbox_failed");
    assertThat(reply.at("/error/message")).contains("one of 5", "no luck");
    Rig.Reply left = rig.get("/v1/sandboxes?state=running");
    assertThat(left.json().at("/sandboxes").size()).isEqualTo(1);
    assertThat(rig.node.copies).isEmpty();
    assertThat(rig.get("/v1/nodes").json().at("/nodes/0/live").asLong()).isEqualTo(1);
  }

  @Test
  void manyAreAcceptedOrNoneAndEachTellsHowItWent() {
    AtomicInteger starts = new AtomicInteger();
    rig.node.onPlace =
        _ -> {
          if (starts.incrementAndGet() == 2) {
            throw DsecException.of(ErrorCode.IMAGE_NOT_FOUND, "not here");
          }
          return true;
        };
    Rig.Reply reply = keyed("/v1/sandboxes/bulk", "{\"image\":\"host\",\"count\":4}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    assertThat(reply.json().at("/running").asLong()).isEqualTo(3);
    assertThat(reply.json().at("/failed").asLong()).isEqualTo(1);
    assertThat(reply.text()).contains("image_not_found");
    Set<String> ids = new HashSet<>();
    reply.json().at("/sandboxes").forEach(s -> ids.add(s.path("id").asString("")));
    assertThat(ids).hasSize(4);
    Rig.Reply again = keyed("/v1/sandboxes/bulk", "{\"image\":\"host\",\"count\":4}");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().at("/running").asLong()).isEqualTo(3);
    Rig.Reply big =
        rig.post(
            "/v1/sandboxes/bulk",
            "{\"image\":\"host\",\"count\":2,\"resources\":{\"cpu\":256},\"guaranteed\":{\"cpu\":256},"
                + "\"wait\":false}");
    assertThat(big.status()).as(big.text()).isIn(201, 202);
  }

  @Test
  void aRepeatedCreateWhoseStartFailedGetsTheSameError() {
    rig.node.onPlace =
        _ -> {
          throw DsecException.of(ErrorCode.IMAGE_NOT_FOUND, "no image of that name")
              .withField("image")
              .withHint("pull it");
        };
    for (int i = 0; i < 2; i++) {
      Rig.Reply reply = keyed("/v1/sandboxes", HOST);
      assertThat(reply.status()).as(reply.text()).isEqualTo(422);
      assertThat(reply.at("/error/code")).isEqualTo("image_not_found");
      assertThat(reply.at("/error/field")).isEqualTo("image");
      assertThat(reply.at("/error/hint")).isEqualTo("pull it");
    }
    assertThat(rig.node.placements).hasSize(1);
  }

  @Test
  void aPausedSandboxIsNotReapedForBeingIdle() {
    rig.close();
    rig =
        new Rig(
            data.resolve("idle"),
            c ->
                c.with(
                    new ReapSettings(
                        Duration.ofHours(1), Duration.ZERO, Duration.ZERO, Duration.ofDays(1))),
            1000,
            false);
    String paused = create();
    String idle = create();
    assertThat(rig.post("/v1/sandboxes/" + paused + "/pause", "").at("/state")).isEqualTo("paused");
    rig.server().reapNow();
    assertThat(rig.get("/v1/sandboxes/" + idle + "?wait=running").text()).contains("idle_timeout");
    assertThat(rig.get("/v1/sandboxes/" + paused).at("/state")).isEqualTo("paused");
  }

  @Test
  void everyPauseIsAnEvent() {
    String id = create();
    for (int i = 0; i < 3; i++) {
      rig.post("/v1/sandboxes/" + id + "/pause", "");
      rig.post("/v1/sandboxes/" + id + "/resume", "");
    }
    String events = rig.get("/v1/sandboxes/" + id + "/events").text();
    assertThat(events.lines().filter(l -> l.contains("\"paused\""))).hasSize(3);
    assertThat(rig.get("/v1/sandboxes/" + id + "?wait=running&wait_timeout=5s").at("/state"))
        .isEqualTo("running");
    assertThat(rig.get("/v1/sandboxes/" + id + "?wait=gone").status()).isEqualTo(400);
  }

  @Test
  void nodesTellWhatTheyOfferAndWhatIsPromised() {
    String _ = create();
    Rig.Reply reply = rig.get("/v1/nodes");
    assertThat(reply.at("/nodes/0/name")).isEqualTo("n1");
    assertThat(reply.at("/nodes/0/state")).isEqualTo("ready");
    assertThat(reply.at("/nodes/0/tiers/0")).isEqualTo("container");
    assertThat(reply.at("/nodes/0/unavailable/microvm")).contains("kvm");
    assertThat(reply.json().at("/nodes/0/promised/memory").asLong()).isEqualTo(512L << 20);
    assertThat(reply.json().at("/nodes/0/sandboxes/running").asLong()).isEqualTo(1);
  }
}
