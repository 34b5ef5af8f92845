// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.Check;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.server.admit.CreateLimit;
import io.dsec.server.sandbox.AcceptedMany;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Intake;
import io.dsec.server.sandbox.NewSandbox;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.schedule.NodeDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /sandboxes/bulk}: many alike. All are accepted or none; each then goes its way. */
final class BulkRoutes {
  private static final int MOST = 1_000;

  private final CreateLimit limit;
  private final NodeDirectory nodes;
  private final Intake intake;
  private final Catalog catalog;
  private final RandomGenerator random;

  BulkRoutes(
      CreateLimit limit,
      NodeDirectory nodes,
      Intake intake,
      Catalog catalog,
      RandomGenerator random) {
    this.limit = limit;
    this.nodes = nodes;
    this.intake = intake;
    this.catalog = catalog;
    this.random = random;
  }

  record Count(int count) {}

  void create(Exchange exchange) throws IOException, InterruptedException {
    ObjectNode body = (ObjectNode) Bodies.tree(exchange.body());
    ObjectNode rest = body.deepCopy();
    JsonNode number = rest.remove("count");
    ObjectNode alone = Json.mapper().createObjectNode();
    alone.set("count", number == null ? Json.mapper().createObjectNode().numberNode(1) : number);
    int count = Bodies.convert(alone, Count.class, "").count();
    Check.between("count", count, 1, MOST);
    CreateRequest request = Bodies.convert(rest, CreateRequest.class, "");
    long end = System.nanoTime() + request.waitLimit().toNanos();
    CreateOrder order = CreateOrder.admit(exchange, request, rest, nodes, limit);
    List<NewSandbox> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(order.sandbox(SandboxId.random(random)));
    }
    AcceptedMany accepted = intake.acceptMany(asked, Identity.fromHeader(exchange, "bulk", body));
    if (request.waits() && accepted instanceof AcceptedMany.Created(List<Sandbox> made)) {
      for (Sandbox sandbox : made) {
        Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
        boolean _ = sandbox.await(Sandbox::settled, left);
      }
    }
    reply(exchange, accepted);
  }

  private void reply(Exchange exchange, AcceptedMany accepted) {
    List<SandboxReply> all = ForkRoutes.replies(exchange, catalog, accepted);
    Map<String, Object> reply = new LinkedHashMap<>();
    long waiting = count(all, SandboxState.QUEUED, SandboxState.PLACING, SandboxState.PREPARING);
    reply.put("running", count(all, SandboxState.RUNNING, SandboxState.PAUSED));
    reply.put("waiting", waiting);
    reply.put("failed", count(all, SandboxState.FAILED));
    reply.put("sandboxes", all);
    boolean again = accepted instanceof AcceptedMany.Before;
    exchange.reply(again ? 200 : waiting > 0 ? 202 : 201, reply);
  }

  private static long count(List<SandboxReply> all, SandboxState... states) {
    return all.stream().filter(s -> List.of(states).contains(s.state())).count();
  }
}
