// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a client sends, the answer names the fault; never 500. */
final class BadInputTest {
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

  private record Case(String body, int status, String code, String field) {}

  private void check(String path, Case c) {
    Rig.Reply reply = rig.post(path, c.body);
    String shown = c.body.substring(0, Math.min(120, c.body.length()));
    assertThat(reply.status()).as(shown + " → " + reply.text()).isEqualTo(c.status);
    assertThat(reply.at("/error/code")).as(shown).isEqualTo(c.code);
    assertThat(reply.at("/error/field")).as(shown).isEqualTo(c.field);
    assertThat(reply.at("/error/request_id")).startsWith("r-");
  }

  private static Case bad(String fields, String field) {
    return new Case("{\"image\":\"host\"," + fields + "}", 400, "invalid_request", field);
  }

  private static Case notYet(String fields, String field) {
    return new Case("{\"image\":\"host\"," + fields + "}", 501, "not_supported", field);
  }

  @Test
  void creates() {
    for (Case c :
        new Case[] {
          new Case("", 400, "invalid_request", ""),
          new Case("[]", 400, "invalid_request", ""),
          new Case("null", 400, "invalid_request", ""),
          new Case("{\"image\":\"host\",}", 400, "invalid_request", ""),
          new Case("{} {}", 400, "invalid_request", ""),
          new Case("[".repeat(5000), 400, "invalid_request", ""),
          new Case("{}", 400, "invalid_request", "image"),
          new Case("{\"image\":\"\"}", 400, "invalid_request", "image"),
          bad("\"imagee\":1", "imagee"),
          bad("\"resources\":{\"memori\":1}", "resources.memori"),
          bad("\"resources\":{\"memory\":\"lots\"}", "resources.memory"),
          bad("\"resources\":{\"memory\":-1}", "resources.memory"),
          bad("\"resources\":{\"memory\":1e999999999}", "resources.memory"),
          bad("\"resources\":{\"memory\":\"99999999999Pi\"}", "resources.memory"),
          bad("\"resources\":{\"memory\":[1]}", "resources.memory"),
          bad("\"resources\":{\"cpu\":0}", "resources.cpu"),
          bad("\"resources\":{\"cpu\":1e400}", "resources.cpu"),
          bad("\"resources\":{\"pids\":99999999999}", "resources.pids"),
          bad("\"resources\":7", "resources"),
          bad("\"ttl\":\"-5s\"", "ttl"),
          bad("\"ttl\":-5", "ttl"),
          bad("\"ttl\":0", "ttl"),
          bad("\"ttl\":1e999999999", "ttl"),
          bad("\"ttl\":\"soon\"", "ttl"),
          bad("\"env\":{\"A\\u0000\":\"x\"}", "env"),
          bad("\"env\":{\"A\":\"x\\u0000\"}", "env"),
          bad("\"env\":{\"A\":null}", "env"),
          bad("\"user\":\"a\\u0000\"", "user"),
          bad("\"labels\":{\"a b\":\"x\"}", "labels"),
          bad("\"isolation\":\"jail\"", "isolation"),
          bad("\"workdir\":\"here\"", "workdir"),
          bad("\"hostname\":\"-\"", "hostname"),
          bad("\"guaranteed\":{\"cpu\":2}", "guaranteed"),
          bad("\"restart\":\"often\"", "restart"),
          bad("\"traits\":[\"nice\"]", "traits"),
          bad("\"network\":{\"mode\":\"open\"}", "network.mode"),
          bad("\"wait_timeout\":\"x\"", "wait_timeout"),
          notYet("\"layers\":[\"x\"]", "layers"),
          notYet("\"entrypoint\":true", "entrypoint"),
          notYet("\"mounts\":[{\"dataset\":\"d\",\"path\":\"/d\"}]", "mounts"),
          notYet("\"probe\":{\"exec\":[\"x\"]}", "probe"),
          notYet("\"network\":{\"allow\":[\"a.test\"]}", "network.allow"),
          notYet("\"record\":{\"mode\":\"deterministic\"}", "record.mode"),
          notYet("\"resources\":{\"gpu\":1}", "resources.gpu"),
          new Case(
              "{\"image\":\"host\",\"isolation\":\"microvm\"}",
              422,
              "tier_unavailable",
              "isolation"),
          new Case(
              "{\"image\":\"host\",\"traits\":[\"runs_model_code\"]}",
              422,
              "tier_unavailable",
              "isolation"),
          new Case(
              "{\"image\":\"host\",\"resources\":{\"cpu\":1024},\"guaranteed\":{\"cpu\":1024}}",
              429,
              "quota_exceeded",
              "guaranteed"),
        }) {
      check("/v1/sandboxes", c);
    }
    assertThat(rig.post("/v1/sandboxes", "{\n \"image\": x}").at("/error/message"))
        .contains("line 2")
        .contains("column");
    assertThat(rig.node.placements).isEmpty();
  }

  @Test
  void execs() {
    String id = rig.post("/v1/sandboxes", "{\"image\":\"host\"}").at("/id");
    String big = "x".repeat(1 << 20);
    for (Case c :
        new Case[] {
          new Case("{}", 400, "invalid_request", "argv"),
          new Case("{\"argv\":[]}", 400, "invalid_request", "argv"),
          new Case("{\"argv\":[\"\"]}", 400, "invalid_request", "argv"),
          new Case("{\"argv\":[null]}", 400, "invalid_request", "argv"),
          new Case("{\"argv\":\"ls\"}", 400, "invalid_request", "argv"),
          new Case("{\"argv\":[\"a\\u0000b\"]}", 400, "invalid_request", "argv"),
          new Case("{\"argv\":[\"" + big + "\"]}", 400, "invalid_request", "argv"),
          new Case("{\"argv\":[\"x\"],\"shell\":\"x\"}", 400, "invalid_request", "shell"),
          new Case("{\"argv\":[\"x\"],\"timeout\":-1}", 400, "invalid_request", "timeout"),
          new Case("{\"argv\":[\"x\"],\"timeout\":\"0s\"}", 400, "invalid_request", "timeout"),
          new Case(
              "{\"argv\":[\"x\"],\"stdin_base64\":\"%%\"}", 400, "invalid_request", "stdin_base64"),
          new Case("{\"argv\":[\"x\"],\"cwd\":\"rel\"}", 422, "bad_cwd", "cwd"),
          new Case(
              "{\"argv\":[\"x\"],\"max_output\":\"9Gi\"}", 400, "invalid_request", "max_output"),
          new Case("{\"argv\":[\"x\"],\"tty\":true}", 400, "invalid_request", "tty"),
        }) {
      check("/v1/sandboxes/" + id + "/exec", c);
    }
    check("/v1/sandboxes/nope/exec", new Case("{\"argv\":[\"x\"]}", 404, "not_found", ""));
  }

  @Test
  void tasks() {
    for (Case c :
        new Case[] {
          bad("\"wait\":true", "command"),
          bad("\"command\":[]", "argv"),
          bad("\"command\":[\"x\"],\"files\":{\"rel\":\"x\"}", "files"),
          bad("\"command\":[\"x\"],\"files\":{\"/a\":7}", "files./a"),
          bad("\"command\":[\"x\"],\"files\":{\"/a\":{\"base64\":\"%\"}}", "files./a"),
          bad(
              "\"command\":[\"x\"],\"files\":{\"/a\":{\"text\":\"x\",\"mode\":\"rwx\"}}",
              "files./a.mode"),
          bad("\"command\":[\"x\"],\"tiemout\":1", "tiemout"),
        }) {
      check("/v1/tasks", c);
    }
  }

  @Test
  void foreignHostsLargeBodiesAndQueries() throws Exception {
    try (java.net.Socket socket =
        new java.net.Socket(java.net.InetAddress.getLoopbackAddress(), rig.server().port())) {
      socket
          .getOutputStream()
          .write(
              "GET /v1/sandboxes HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n"
                  .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      assertThat(
              new String(
                  socket.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 403");
    }
    byte[] large = new byte[(64 << 20) + 1];
    Rig.Reply reply =
        rig.send(rig.request("/v1/sandboxes").POST(BodyPublishers.ofByteArray(large)));
    assertThat(reply.status()).isEqualTo(413);
    assertThat(reply.at("/error/code")).isEqualTo("too_large");
    for (String query :
        new String[] {"limit=x", "limit=-1", "cursor=!!", "state=fine", "label=x"}) {
      assertThat(rig.get("/v1/sandboxes?" + query).status()).as(query).isEqualTo(400);
    }
  }

  @Test
  void anUnforeseenErrorTellsNothing() {
    rig.node.onPlace =
        _ -> {
          throw new IllegalStateException("inner secret");
        };
    Rig.Reply reply = rig.post("/v1/sandboxes", "{\"image\":\"host\"}");
    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.at("/error/code")).isEqualTo("sandbox_failed");
    rig.node.onPlace =
        _ -> {
          throw DsecException.of(ErrorCode.SANDBOX_FAILED, "mount failed: EPERM");
        };
    assertThat(rig.post("/v1/sandboxes", "{\"image\":\"host\"}").at("/error/message"))
        .isEqualTo("mount failed: EPERM");
  }
}
