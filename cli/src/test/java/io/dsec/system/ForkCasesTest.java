// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Forks (F65) and many sandboxes at once. */
@ExtendWith(SharedDsec.class)
class ForkCasesTest {
  private static final Map<String, Object> SMALL =
      Map.of("cpu", 0.5, "memory", "64Mi", "disk", "64Mi");

  private static final String SLEEPERS = "cat /proc/[0-9]*/comm | grep -c '^sleep$'";

  private final Api api;

  ForkCasesTest(Api api) {
    this.api = api;
  }

  private Api.Reply tryFork(Box parent, Map<String, ?> wish) {
    return api.post("/v1/sandboxes/" + parent.id() + "/fork", wish);
  }

  private List<Box> fork(Box parent, Map<String, ?> wish) {
    Api.Reply reply = tryFork(parent, wish);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    List<Box> children = new ArrayList<>();
    for (JsonNode child : reply.json().path("sandboxes")) {
      assertThat(child.path("state").asString("")).isEqualTo("running");
      assertThat(child.path("parent").asString("")).isEqualTo(parent.id());
      children.add(new Box(api, child.path("id").asString("")));
    }
    return children;
  }

  @Test
  void f65ClonesHaveTheFilesAndAnIdentityOfTheirOwn() {
    try (Box parent =
        api.create(Map.of("resources", SMALL, "labels", Map.of("run", "r1", "who", "parent")))) {
      parent.sh(
          "mkdir -p ~/d && echo kept > ~/d/a && mv ~/d/a ~/d/b && echo x > ~/d/x && rm ~/d/x;"
              + " ln ~/d/b ~/d/hard; ln -s b ~/d/soft; echo no-fsync > /tmp/t; sleep 1000 & true");
      parent.root(
          "echo 0123456789abcdef0123456789abcdef > /etc/machine-id; rm /etc/shells;"
              + " echo '10.1.2.3 db' >> /etc/hosts");
      List<Box> children =
          fork(parent, Map.of("count", 8, "labels", Map.of("who", "child"), "ttl", "10m"));
      assertThat(children).hasSize(8);
      Set<String> seen = new HashSet<>();
      for (Box child : children) {
        String script =
            "cat /proc/sys/kernel/random/uuid; head -c16 /dev/urandom | od -An -tx1;"
                + " cat /etc/machine-id; hostname; cat /etc/hostname; getent hosts $(hostname)";
        String identity = child.sh(script).stdout();
        assertThat(identity.lines().map(String::strip).distinct().filter(seen::add).count())
            .as("nothing of it was seen before: %s", identity)
            .isGreaterThanOrEqualTo(5);
        assertThat(identity).contains(child.id()).doesNotContain(parent.id());
        Ran files = child.sh("cd ~/d && cat b hard soft /tmp/t; ls; ls /etc/shells; " + SLEEPERS);
        assertThat(files.stdout()).isEqualTo("kept\nkept\nkept\nno-fsync\nb\nhard\nsoft\n0\n");
        assertThat(child.sh("grep -c 'db$' /etc/hosts").stdout()).isEqualTo("1\n");
        JsonNode first = child.trajectory().getFirst();
        assertThat(first.path("kind").asString("")).isEqualTo("sandbox.created");
        assertThat(first.path("data").path("parent").asString("")).isEqualTo(parent.id());
        JsonNode shown = api.get("/v1/sandboxes/" + child.id()).json();
        assertThat(shown.path("labels").path("who").asString("")).isEqualTo("child");
        assertThat(shown.path("labels").path("run").asString("")).isEqualTo("r1");
      }
      assertThat(parent.sh(SLEEPERS).stdout()).as("the parent runs on").isEqualTo("1\n");
      // Each goes its own way from here.
      children.get(0).sh("echo mine > ~/d/b");
      assertThat(children.get(1).sh("cat ~/d/b").stdout()).isEqualTo("kept\n");
      assertThat(parent.sh("cat ~/d/b").stdout()).isEqualTo("kept\n");
      assertThat(parent.trajectory().toString()).contains("sandbox.forked");
      List<Box> grandchildren = fork(children.get(0), Map.of());
      assertThat(grandchildren.getFirst().sh("cat ~/d/b").stdout()).isEqualTo("mine\n");
      grandchildren.forEach(Box::close);
      children.forEach(Box::close);
    }
  }

  /** User code may have put anything in the place of what is renewed. */
  @Test
  void aHostileLayerLeadsNowhere() {
    try (Box parent = api.create(Map.of("resources", SMALL))) {
      parent.root(
          "rm -rf /etc/hosts /etc/hostname /etc/machine-id; ln -s /etc/passwd /etc/hosts;"
              + " mkdir /etc/hostname; mkfifo /etc/machine-id");
      List<Box> children = fork(parent, Map.of("count", 1));
      Ran look = children.getFirst().sh("readlink /etc/hosts; test -p /etc/machine-id; echo $?");
      assertThat(look.stdout()).isEqualTo("/etc/passwd\n0\n");
      children.forEach(Box::close);

      parent.root("mv /etc /etc-moved; ln -s /proc/1/root/tmp /etc");
      List<Box> others = fork(parent, Map.of("count", 1));
      assertThat(others.getFirst().run(Map.of("argv", List.of("true"), "user", "0")).code())
          .isZero();
      others.forEach(Box::close);
    }
  }

  /** A copy that is made while files change is of one moment; a paused parent stays paused. */
  @Test
  void theCopyIsOfOneMomentAndAPausedParentStaysPaused() {
    try (Box parent = api.create(Map.of("resources", SMALL))) {
      api.post(
          "/v1/sandboxes/" + parent.id() + "/processes",
          Map.of(
              "argv",
              List.of(
                  "sh", "-c", "i=0; while :; do i=$((i+1)); echo $i > ~/a; echo $i > ~/b; done")));
      await().atMost(5, SECONDS).until(() -> parent.sh("test -s ~/b").code() == 0);
      for (Box child : fork(parent, Map.of("count", 3))) {
        Ran pair = child.sh("cat ~/a; echo; cat ~/b");
        List<String> numbers = pair.stdout().lines().filter(l -> !l.isEmpty()).toList();
        if (numbers.size() == 2) {
          assertThat(Long.parseLong(numbers.get(0)) - Long.parseLong(numbers.get(1)))
              .isBetween(0L, 1L);
        }
        child.close();
      }
      String before = parent.sh("cat ~/b").stdout();
      await().atMost(5, SECONDS).until(() -> !parent.sh("cat ~/b").stdout().equals(before));
      api.post("/v1/sandboxes/" + parent.id() + "/pause", "");
      fork(parent, Map.of()).forEach(Box::close);
      assertThat(parent.state()).isEqualTo("paused");
    }
  }

  /** Each child has the whole limit for what it writes, and not more. */
  @Test
  void eachChildHasADiskLimitOfItsOwn() {
    try (Box parent = api.create(Map.of("resources", SMALL))) {
      parent.sh("head -c 20M /dev/urandom > ~/f");
      List<Box> children = fork(parent, Map.of("count", 2));
      for (Box child : children) {
        Ran fill = child.sh("cat /dev/urandom > ~/g; stat -c %s ~/g");
        assertThat(fill.stderr()).containsAnyOf("quota", "space");
        assertThat(Long.parseLong(fill.stdout().strip())).isBetween(30L << 20, 66L << 20);
        assertThat(child.sh("rm ~/g; wc -c < ~/f").stdout().strip()).isEqualTo("20971520");
      }
      children.forEach(Box::close);
    }
  }

  @Test
  void allForksAreMadeOrNone() {
    try (Box parent =
        api.create(Map.of("resources", Map.of("cpu", 1, "memory", "1Gi", "disk", "32Mi")))) {
      long before = open();
      Api.Reply refused = tryFork(parent, Map.of("count", 100));
      assertThat(refused.status()).as(refused.text()).isEqualTo(503);
      assertThat(refused.code()).isEqualTo("no_capacity");
      assertThat(open()).isEqualTo(before);
      assertThat(parent.sh("echo fine").stdout()).isEqualTo("fine\n");
    }
  }

  private long open() {
    return api.get("/v1/sandboxes?state=running&limit=1000").json().path("sandboxes").size();
  }

  @Test
  void badForksAreRefusedByName() {
    try (Box memory =
        api.create(Map.of("resources", Map.of("disk_medium", "memory", "disk", "16Mi")))) {
      Api.Reply refused = tryFork(memory, Map.of("count", 2));
      assertThat(refused.status()).as(refused.text()).isEqualTo(501);
      assertThat(refused.message()).contains("memory");
      assertThat(tryFork(memory, Map.of("count", 0)).field()).isEqualTo("count");
      assertThat(tryFork(memory, Map.of("count", 101)).field()).isEqualTo("count");
      assertThat(tryFork(memory, Map.of("image", "host")).field()).isEqualTo("image");
      assertThat(memory.state()).isEqualTo("running");
    }
    assertThat(api.post("/v1/sandboxes/sb-aaaaaaaaaaaaaaaa/fork", Map.of()).status())
        .isEqualTo(404);
  }

  @Test
  void manyAlikeAreMadeAtOnce() {
    Api.Reply reply =
        api.post(
            "/v1/sandboxes/bulk",
            Map.of(
                "count",
                12,
                "image",
                "host",
                "resources",
                SMALL,
                "wait_timeout",
                "60s",
                "labels",
                Map.of("bulk", "b1")));
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    assertThat(reply.json().path("running").asLong()).isEqualTo(12);
    Set<String> ids = new HashSet<>();
    reply.json().path("sandboxes").forEach(s -> ids.add(s.path("id").asString("")));
    assertThat(ids).hasSize(12);
    assertThat(api.delete("/v1/sandboxes?label=bulk=b1").json().path("removed").asLong())
        .isEqualTo(12);

    Api.Reply bad = api.post("/v1/sandboxes/bulk", Map.of("count", 3, "image", "no-such-image"));
    assertThat(bad.json().path("failed").asLong()).as(bad.text()).isEqualTo(3);
    assertThat(api.post("/v1/sandboxes/bulk", Map.of("count", 5000, "image", "host")).field())
        .isEqualTo("count");
  }
}
