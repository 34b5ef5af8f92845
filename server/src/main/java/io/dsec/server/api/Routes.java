// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.server.exec.Sessions;
import io.helidon.http.Method;
import io.helidon.webserver.http.HttpRouting;
import java.util.ArrayList;
import java.util.List;

/** All routes on one page. */
final class Routes {
  private final HttpRouting.Builder routing;
  private final Gate gate;
  private final List<String> operations = new ArrayList<>();

  private Routes(HttpRouting.Builder routing, Gate gate) {
    this.routing = routing;
    this.gate = gate;
  }

  /** What is answered, each as {@code METHOD /path}. */
  static List<String> register(
      HttpRouting.Builder routing, Gate gate, ApiSettings settings, ApiParts p, Drain drain) {
    Routes routes = new Routes(routing, gate);
    Beats beats = new Beats(p.timer(), settings.heartbeat());
    routes.sandboxes(p, beats);
    routes.tasks(p);
    routes.batches(p, beats);
    routes.system(p, drain);
    routes.notYet();
    routes.any(
        "/{+path}",
        x -> {
          throw unknown(x);
        });
    routes.any(
        "/",
        x -> {
          throw unknown(x);
        });
    return List.copyOf(routes.operations);
  }

  private void sandboxes(ApiParts p, Beats beats) {
    Creates creates = new Creates(p.limit(), p.nodes(), p.intake(), p.catalog(), p.random());
    SandboxRoutes sandboxes = new SandboxRoutes(p.catalog(), p.removals(), p.renewal(), p.clock());
    ExecRoutes exec = new ExecRoutes(p.execs(), beats);
    ProcessRoutes processes = new ProcessRoutes(p.execs(), beats);
    ForkRoutes forks = new ForkRoutes(p.limit(), p.catalog(), p.execs(), p.forks(), p.random());
    BulkRoutes bulk = new BulkRoutes(p.limit(), p.nodes(), p.intake(), p.catalog(), p.random());
    PauseRoutes pauses = new PauseRoutes(p.execs(), p.catalog());
    HistoryRoutes history = new HistoryRoutes(p.catalog(), p.nodes(), beats);
    on(Method.POST, "/v1/sandboxes", creates::create);
    on(Method.GET, "/v1/sandboxes", sandboxes::list);
    on(Method.DELETE, "/v1/sandboxes", sandboxes::deleteMany);
    on(Method.GET, "/v1/sandboxes/{id}", sandboxes::show);
    on(Method.DELETE, "/v1/sandboxes/{id}", sandboxes::delete);
    on(Method.POST, "/v1/sandboxes/{id}/renew", sandboxes::renew);
    on(Method.POST, "/v1/sandboxes/bulk", bulk::create);
    on(Method.POST, "/v1/sandboxes/{id}/fork", forks::fork);
    on(Method.POST, "/v1/sandboxes/{id}/pause", pauses::pause);
    on(Method.POST, "/v1/sandboxes/{id}/resume", pauses::resume);
    on(Method.POST, "/v1/sandboxes/{id}/exec", exec::exec);
    String process = "/v1/sandboxes/{id}/processes/{process}";
    on(Method.POST, "/v1/sandboxes/{id}/processes", processes::start);
    on(Method.GET, "/v1/sandboxes/{id}/processes", processes::list);
    on(Method.GET, process, processes::show);
    on(Method.GET, process + "/output", processes::output);
    on(Method.POST, process + "/stdin", processes::stdin);
    on(Method.POST, process + "/signal", processes::signal);
    on(Method.POST, process + "/resize", processes::resize);
    on(Method.DELETE, process, processes::remove);
    PortRoutes ports = new PortRoutes(p.execs(), p.timer());
    any("/v1/sandboxes/{id}/ports/{port}", ports::any);
    any("/v1/sandboxes/{id}/ports/{port}/", ports::any);
    any("/v1/sandboxes/{id}/ports/{port}/{+rest}", ports::any);
    files(p, beats);
    sessions(p, exec);
    on(Method.GET, "/v1/sandboxes/{id}/events", history::events);
    on(Method.GET, "/v1/sandboxes/{id}/trajectory", history::trajectory);
  }

  private void files(ApiParts p, Beats beats) {
    FileRoutes files = new FileRoutes(p.execs());
    TreeRoutes trees = new TreeRoutes(p.execs());
    ArchiveRoutes archives = new ArchiveRoutes(p.execs());
    String base = "/v1/sandboxes/{id}/files";
    on(Method.GET, base, files::read);
    on(Method.HEAD, base, files::head);
    on(Method.PUT, base, files::write);
    on(Method.DELETE, base, files::remove);
    on(Method.POST, base + "/move", trees::move);
    on(Method.POST, base + "/mkdir", trees::make);
    on(Method.POST, base + "/chmod", trees::changeMode);
    on(Method.POST, base + "/chown", trees::changeOwner);
    on(Method.GET, base + "/watch", new WatchRoutes(p.execs(), beats)::watch);
    on(Method.GET, "/v1/sandboxes/{id}/directory", trees::list);
    on(Method.GET, "/v1/sandboxes/{id}/archive", archives::pack);
    on(Method.PUT, "/v1/sandboxes/{id}/archive", archives::unpack);
  }

  private void sessions(ApiParts p, ExecRoutes exec) {
    on(
        Method.GET,
        "/v1/sandboxes/{id}/terminal",
        x -> {
          throw TerminalRoute.plain(x);
        });
    on(
        Method.GET,
        "/v1/sandboxes/{id}/tunnel",
        x -> {
          throw TunnelRoute.plain(x);
        });
    SessionRoutes sessions = new SessionRoutes(new Sessions(p.execs()), exec);
    String session = "/v1/sandboxes/{id}/sessions/{session}";
    on(Method.POST, "/v1/sandboxes/{id}/sessions", sessions::create);
    on(Method.GET, "/v1/sandboxes/{id}/sessions", sessions::list);
    on(Method.GET, session, sessions::show);
    on(Method.DELETE, session, sessions::remove);
    on(Method.POST, session + "/run", sessions::run);
    on(Method.POST, session + "/interrupt", sessions::interrupt);
  }

  private void tasks(ApiParts p) {
    TaskRoutes tasks = new TaskRoutes(p.limit(), p.nodes(), p.tasks());
    on(Method.POST, "/v1/tasks", tasks::submit);
    on(Method.GET, "/v1/tasks", new TaskListRoutes(p.tasks(), p.batches())::list);
    on(Method.GET, "/v1/tasks/{id}", tasks::show);
    on(Method.DELETE, "/v1/tasks/{id}", tasks::cancel);
    on(Method.POST, "/v1/tasks/{id}/heartbeat", tasks::heartbeat);
  }

  private void batches(ApiParts p, Beats beats) {
    BatchRoutes batches =
        new BatchRoutes(
            p.limit(), new BatchBody(p.batchSettings(), p.nodes()), p.batches(), beats, p.clock());
    on(Method.POST, "/v1/batches", batches::submit);
    on(Method.GET, "/v1/batches", batches::list);
    on(Method.GET, "/v1/batches/{id}", batches::show);
    on(Method.DELETE, "/v1/batches/{id}", batches::cancel);
    on(Method.GET, "/v1/batches/{id}/results", batches::results);
    on(Method.GET, "/v1/batches/{id}/events", batches::events);
  }

  private void system(ApiParts p, Drain drain) {
    SystemRoutes system = new SystemRoutes(p.database(), p.nodes(), p.meters().registry(), drain);
    KeyRoutes keys = new KeyRoutes(p.keys());
    NodeRoutes nodes = new NodeRoutes(p.nodes(), p.ledger(), p.catalog());
    on(Method.GET, "/v1/nodes", Access.ADMIN, nodes::list);
    on(Method.POST, "/v1/keys", Access.ADMIN, keys::issue);
    on(Method.GET, "/v1/keys", Access.ADMIN, keys::list);
    on(Method.DELETE, "/v1/keys/{id}", Access.ADMIN, keys::revoke);
    on(Method.GET, "/healthz", Access.ANYONE, system::healthz);
    on(Method.GET, "/readyz", Access.ANYONE, system::readyz);
    on(Method.GET, "/metrics", Access.LOCAL_OR_KEY, system::metrics);
    on(Method.GET, "/openapi.json", Access.ANYONE, system::openapi);
  }

  /** Calls that users will find in the documentation and that this release does not have. */
  private void notYet() {
    for (String call :
        new String[] {
          "{id}/commit",
          "{id}/steps",
          "{id}/notes",
          "{id}/snapshot",
          "{id}/snapshot/{+rest}",
          "{id}/replay",
          "{id}/network"
        }) {
      refuse("/v1/sandboxes/" + call);
    }
    refuse("/v1/nodes/{+rest}");
    for (String kind :
        new String[] {
          "images", "datasets", "volumes", "tenants", "groups", "alerts", "cases", "queue"
        }) {
      refuse("/v1/" + kind);
      refuse("/v1/" + kind + "/{+rest}");
    }
  }

  private void refuse(String path) {
    any(
        path,
        x -> {
          throw DsecException.of(
              ErrorCode.NOT_SUPPORTED, "this release does not have %s yet".formatted(path));
        });
  }

  private void on(Method method, String path, Call call) {
    on(method, path, Access.KEY, call);
  }

  private void on(Method method, String path, Access access, Call call) {
    operations.add(method.text() + " " + path);
    routing.route(method, path, gate.handler(method.text() + " " + path, access, call));
  }

  private void any(String path, Call call) {
    routing.any(path, gate.handler("ANY " + path, Access.KEY, call));
  }

  private static DsecException unknown(Exchange exchange) {
    return DsecException.of(ErrorCode.NOT_FOUND, "no such call: " + exchange.describe());
  }
}
