// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.server.admit.CreateLimit;
import io.dsec.server.sandbox.Accepted;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Intake;
import io.dsec.server.sandbox.NewSandbox;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.SandboxRecord;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.store.Claim;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import tools.jackson.databind.JsonNode;

/** {@code POST /sandboxes}. */
final class Creates {
  private static final Duration STORE = Duration.ofSeconds(5);

  private final CreateLimit limit;
  private final NodeDirectory nodes;
  private final Intake intake;
  private final Catalog catalog;
  private final RandomGenerator random;

  Creates(
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

  void create(Exchange exchange) throws IOException, InterruptedException {
    JsonNode body = Bodies.tree(exchange.body());
    CreateRequest request = Bodies.convert(body, CreateRequest.class, "");
    Duration wait = request.waitLimit();
    CreateOrder order = CreateOrder.admit(exchange, request, body, nodes, limit);
    SandboxId id = SandboxId.random(random);
    Accepted accepted =
        intake.accept(order.sandbox(id).named(identity(exchange, request, body, id)));
    switch (accepted) {
      case Accepted.Created(Sandbox sandbox) -> reply(exchange, request, wait, sandbox, 201);
      case Accepted.Before(String before) -> {
        SandboxId first = new SandboxId(before);
        Optional<Sandbox> live = catalog.live(first);
        if (live.isPresent()) {
          reply(exchange, request, wait, live.get(), 200);
        } else {
          SandboxRecord record = catalog.record(exchange.caller(), first);
          if (record.failure() != null) {
            throw record.failure().exception(); // as the first time
          }
          exchange.reply(200, SandboxReply.of(record));
        }
      }
    }
  }

  private static Optional<NewSandbox.Identity> identity(
      Exchange exchange, CreateRequest request, JsonNode body, SandboxId id) {
    Optional<Claim> key = Identity.fromHeader(exchange, "sandbox", body);
    if (key.isPresent()) {
      return key.map(c -> new NewSandbox.Identity(c, id.value(), false));
    }
    return request
        .idOfTask()
        .map(t -> Identity.ofTask(exchange, "sandbox", t, body))
        .map(c -> new NewSandbox.Identity(c, id.value(), true));
  }

  private static void reply(
      Exchange exchange, CreateRequest request, Duration wait, Sandbox sandbox, int status)
      throws InterruptedException {
    boolean settled = request.waits() ? sandbox.await(Sandbox::settled, wait) : sandbox.settled();
    SandboxRecord record = sandbox.record();
    if (!settled) {
      exchange.reply(202, SandboxReply.of(record));
    } else if (runs(record.state()) || (status == 200 && record.failure() == null)) {
      exchange.reply(status, SandboxReply.of(record));
    } else {
      if (sandbox.failure().isPresent()) {
        boolean _ = sandbox.await(Sandbox::stored, STORE); // a list that is asked for next has it
      }
      throw failure(sandbox, record);
    }
  }

  private static boolean runs(SandboxState state) {
    return state == SandboxState.RUNNING || state == SandboxState.PAUSED;
  }

  private static DsecException failure(Sandbox sandbox, SandboxRecord record) {
    if (sandbox.failure().isPresent()) {
      return sandbox.failure().get();
    }
    ErrorCode code =
        record.state() == SandboxState.FAILED ? ErrorCode.SANDBOX_FAILED : ErrorCode.GONE;
    return DsecException.of(
            code,
            "sandbox %s did not come to run: %s (%s) %s"
                .formatted(
                    record.id(),
                    Json.lower(record.state()),
                    Json.lower(record.change().reason()),
                    record.change().message()))
        .withReason(record.change().reason());
  }
}
