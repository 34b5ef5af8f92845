// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.client.Sandbox;
import io.dsec.client.SandboxFilter;
import io.dsec.client.SandboxRequest;
import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code dsec sandbox …} */
final class SandboxCommands {
  private SandboxCommands() {}

  @Command(name = "sandbox", description = "Create, list, show, renew and remove sandboxes.")
  static final class Root extends Group {}

  @Command(name = "create", description = "Create a sandbox and print its id.")
  static final class Create extends ServerCommand {
    @Mixin private final SandboxOptions options = new SandboxOptions();
    @Mixin private final Output output = new Output();

    @Parameters(paramLabel = "IMAGE", description = "Such as host or registry.test/py:3.12.")
    private String image = "";

    @Option(names = "--no-wait", description = "Do not wait until it runs.")
    private boolean queued;

    @Option(
        names = "--wait-timeout",
        paramLabel = "TIME",
        converter = Quantities.Length.class,
        description = "How long to wait until it runs; it stays queued then. Default 30s.")
    private Optional<Duration> limit = Optional.empty();

    Create(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      SandboxRequest request = options.request(image, around.terminal().environment());
      if (queued) {
        request.await(false);
      }
      limit.ifPresent(request::awaitFor);
      Sandbox sandbox = client.sandboxes().create(request);
      if (output.json()) {
        Output.print(around.terminal(), client.sandboxes().describe(sandbox.id()));
        return Exit.FINE;
      }
      out().println(sandbox.id());
      if (!queued && sandbox.state().compareTo(SandboxState.RUNNING) < 0) {
        around.terminal().complain().println("dsec: still " + Json.lower(sandbox.state()));
      }
      return Exit.FINE;
    }
  }

  @Command(name = "ls", description = "List sandboxes that are not gone.")
  static final class Ls extends ServerCommand {
    @Mixin private final Output output = new Output();
    @Mixin private final Filter filter = new Filter();

    @Option(
        names = {"-a", "--all"},
        description = "Also those that failed or are gone, as far as they are remembered.")
    private boolean all;

    Ls(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      List<JsonNode> sandboxes =
          client.sandboxes().listed(filter.value()).stream()
              .filter(s -> shown(SandboxState.valueOf(upper(s.path("state").asString("")))))
              .toList();
      if (output.json()) {
        Output.print(around.terminal(), Map.of("sandboxes", sandboxes));
        return Exit.FINE;
      }
      SandboxTable.lines(around.terminal().outStyle(), sandboxes, around.clock().instant())
          .forEach(out()::println);
      return Exit.FINE;
    }

    private boolean shown(SandboxState state) {
      boolean over = state == SandboxState.GONE || state == SandboxState.FAILED;
      return all || !over || filter.value().state().isPresent();
    }
  }

  @Command(name = "show", description = "Show one sandbox.")
  static final class Show extends ServerCommand {
    @Mixin private final Output output = new Output();

    @Parameters(paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    Show(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      var json = client.sandboxes().describe(new SandboxId(id));
      if (output.json()) {
        Output.print(around.terminal(), json);
      } else {
        Describe.lines(json, around.terminal().outStyle()).forEach(out()::println);
      }
      return Exit.FINE;
    }
  }

  @Command(name = "rm", description = "Remove sandboxes; one that is gone already is no error.")
  static final class Rm extends ServerCommand {
    @Mixin private final Filter filter = new Filter();

    @Parameters(paramLabel = "ID", arity = "0..*", description = "The sandboxes.")
    private List<String> ids = List.of();

    @Option(names = "--all", description = "All that this key may see.")
    private boolean all;

    @Option(
        names = "--grace",
        paramLabel = "TIME",
        converter = Quantities.Length.class,
        description = "Send TERM first and wait this long.")
    private Duration grace = Duration.ZERO;

    Rm(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      boolean filtered = !filter.value().equals(SandboxFilter.ALL);
      if ((ids.isEmpty() ? 0 : 1) + (all ? 1 : 0) + (filtered ? 1 : 0) != 1) {
        throw DsecException.invalid("id", "name sandboxes, or a filter, or --all");
      }
      if (filtered) {
        client.sandboxes().deleteAll(filter.value());
        return Exit.FINE;
      }
      List<SandboxId> targets =
          all
              ? client.sandboxes().list(SandboxFilter.ALL).stream()
                  .filter(s -> s.state() != SandboxState.GONE)
                  .map(Sandbox::id)
                  .toList()
              : ids.stream().map(SandboxId::new).toList();
      targets.forEach(each -> client.sandboxes().delete(each, grace));
      return Exit.FINE;
    }
  }

  @Command(name = "renew", description = "Move the absolute end of a sandbox.")
  static final class Renew extends ServerCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    @Option(
        names = "--ttl",
        paramLabel = "TIME",
        required = true,
        converter = Quantities.Length.class,
        description = "From now on, such as 30m.")
    private Duration ttl = Duration.ZERO;

    Renew(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      Sandbox renewed = client.sandboxes().renew(new SandboxId(id), ttl);
      out().println(renewed.expiresAt());
      return Exit.FINE;
    }
  }

  /** Which sandboxes are meant. */
  static final class Filter {
    @Option(
        names = {"-l", "--label"},
        paramLabel = "KEY=VALUE",
        description = "With this label; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(
        names = "--state",
        paramLabel = "STATE",
        description = "In this state: ${COMPLETION-CANDIDATES}.")
    private Optional<SandboxState> state = Optional.empty();

    @Option(names = "--tenant", paramLabel = "NAME", description = "Of this tenant.")
    private Optional<String> tenant = Optional.empty();

    SandboxFilter value() {
      return new SandboxFilter(labels, state, tenant);
    }
  }

  private static String upper(String state) {
    return state.toUpperCase(Locale.ROOT);
  }
}
