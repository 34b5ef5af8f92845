// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.SandboxSpec;
import io.dsec.model.Tier;
import io.dsec.server.admit.CreateLimit;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.schedule.TierChoice;
import io.dsec.server.store.Claim;
import io.dsec.server.task.TaskRecord;
import io.dsec.server.task.Tasks;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Tasks: a sandbox with a main command, run to its end. */
final class TaskRoutes {
  private static final Duration CANCEL_GRACE = Duration.ofSeconds(30);

  private final CreateLimit limit;
  private final NodeDirectory nodes;
  private final Tasks tasks;

  TaskRoutes(CreateLimit limit, NodeDirectory nodes, Tasks tasks) {
    this.limit = limit;
    this.nodes = nodes;
    this.tasks = tasks;
  }

  /** Replies at once with 202 unless {@code "wait": true} asks for the end. */
  void submit(Exchange exchange) throws IOException, InterruptedException {
    JsonNode body = Bodies.tree(exchange.body());
    TaskRequest request = TaskRequest.read(body);
    SandboxSpec spec = request.spec();
    Duration wait = request.sandbox().waitLimit();
    Tier tier = TierChoice.resolve(spec.isolation(), request.sandbox().traitSet(), nodes.members());
    limit.admit(exchange.caller().tenant());
    Optional<Claim> claim =
        Identity.fromHeader(exchange, "task", body)
            .or(
                () ->
                    request
                        .sandbox()
                        .idOfTask()
                        .map(t -> Identity.ofTask(exchange, "task", t, body)));
    Optional<String> stored =
        request.sandbox().hasSecrets()
            ? Optional.empty()
            : Optional.of(Json.mapper().writeValueAsString(body));
    Tasks.Submitted submitted = tasks.submit(exchange.caller().tenant(), spec, tier, stored, claim);
    TaskRecord task = submitted.task();
    if (Boolean.TRUE.equals(request.sandbox().waiting())) {
      task = tasks.await(task, wait);
    }
    int status = task.result() == null ? 202 : submitted.fresh() ? 201 : 200;
    exchange.reply(submitted.fresh() ? status : 200, TaskReply.of(task, tasks.state(task)));
  }

  /** With {@code ?wait=30s} the reply comes with the task's end, if that comes first. */
  void show(Exchange exchange) throws InterruptedException {
    TaskRecord task = tasks.find(exchange.caller(), exchange.path("id"));
    Optional<Duration> wait = exchange.query("wait").map(w -> Amount.duration("wait", w));
    if (wait.isPresent() && task.result() == null) {
      task = tasks.await(task, wait.get());
    }
    exchange.reply(200, TaskReply.of(task, tasks.state(task)));
  }

  void cancel(Exchange exchange) {
    Duration grace =
        exchange.query("grace").map(g -> Amount.duration("grace", g)).orElse(CANCEL_GRACE);
    tasks.cancel(tasks.find(exchange.caller(), exchange.path("id")), grace);
    exchange.noContent();
  }

  void heartbeat(Exchange exchange) {
    tasks.heartbeat(tasks.find(exchange.caller(), exchange.path("id")));
    exchange.noContent();
  }
}
