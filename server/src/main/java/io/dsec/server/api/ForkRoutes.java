// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.Check;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.server.admit.CreateLimit;
import io.dsec.server.exec.Execs;
import io.dsec.server.sandbox.AcceptedMany;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Forks;
import io.dsec.server.sandbox.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /sandboxes/{id}/fork}; counts as one create. */
final class ForkRoutes {
  private static final int MOST = 100;

  private final CreateLimit limit;
  private final Catalog catalog;
  private final Execs execs;
  private final Forks forks;
  private final RandomGenerator random;

  ForkRoutes(CreateLimit limit, Catalog catalog, Execs execs, Forks forks, RandomGenerator random) {
    this.limit = limit;
    this.catalog = catalog;
    this.execs = execs;
    this.forks = forks;
    this.random = random;
  }

  record ForkRequest(
      @Nullable Integer count, @Nullable Map<String, String> labels, @Nullable JsonNode ttl) {

    int howMany() {
      int n = count == null ? 1 : count;
      Check.between("count", n, 1, MOST);
      return n;
    }

    /** Labels are added to the parent's; no two sandboxes share a host name. */
    UnaryOperator<SandboxSpec> change() {
      Optional<Duration> life = Amount.duration("ttl", ttl);
      Map<String, String> added = Texts.pairs("labels", labels);
      return parent -> {
        Map<String, String> all = new HashMap<>(parent.labels());
        all.putAll(added);
        return parent.asFork(all, life.orElse(parent.ttl()));
      };
    }
  }

  void fork(Exchange exchange) throws IOException, InterruptedException {
    byte[] body = exchange.body();
    JsonNode tree = body.length == 0 ? Json.mapper().createObjectNode() : Bodies.tree(body);
    ForkRequest request = Bodies.convert(tree, ForkRequest.class, "");
    int count = request.howMany();
    UnaryOperator<SandboxSpec> change = request.change();
    SandboxId id = exchange.sandboxId();
    boolean _ = execs.look(exchange.caller(), id, _ -> true); // it runs, or tells why not
    Sandbox parent =
        catalog
            .live(id)
            .orElseThrow(
                () -> DsecException.of(ErrorCode.GONE, "sandbox %s is gone".formatted(id)));
    limit.admit(exchange.caller().tenant());
    ObjectNode named = ((ObjectNode) tree).deepCopy().put("sandbox", id.value());
    AcceptedMany accepted =
        forks.fork(
            new Forks.Order(
                parent,
                SandboxId.random(random),
                Stream.generate(() -> SandboxId.random(random)).limit(count).toList(),
                change,
                Identity.fromHeader(exchange, "fork", named)));
    exchange.reply(
        accepted instanceof AcceptedMany.Created ? 201 : 200,
        Map.of("sandboxes", replies(exchange, catalog, accepted)));
  }

  /** All of them as they are now. */
  static List<SandboxReply> replies(Exchange exchange, Catalog catalog, AcceptedMany accepted) {
    return switch (accepted) {
      case AcceptedMany.Created(List<Sandbox> made) ->
          made.stream().map(sandbox -> SandboxReply.of(sandbox.record())).toList();
      case AcceptedMany.Before(List<String> ids) ->
          ids.stream()
              .map(SandboxId::new)
              .map(before -> SandboxReply.of(catalog.record(exchange.caller(), before)))
              .toList();
    };
  }
}
