// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.store.Database;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Signs of life, figures, and the description of this API. */
final class SystemRoutes {
  private final Database database;
  private final NodeDirectory nodes;
  private final PrometheusRegistry registry;
  private final Drain drain;

  SystemRoutes(Database database, NodeDirectory nodes, PrometheusRegistry registry, Drain drain) {
    this.database = database;
    this.nodes = nodes;
    this.registry = registry;
    this.drain = drain;
  }

  /** The process answers. */
  void healthz(Exchange exchange) {
    exchange.reply(200, Map.of("status", "ok"));
  }

  /** The store answers and a node beats: new work will get somewhere. */
  void readyz(Exchange exchange) {
    if (drain.closed()) {
      throw Gate.stopping();
    }
    int _ = database.read(h -> h.createQuery("SELECT 1").mapTo(Integer.class).one());
    List<String> alive = nodes.members().stream().map(Member::name).filter(nodes::alive).toList();
    if (alive.isEmpty()) {
      throw DsecException.of(ErrorCode.NO_CAPACITY, "no node has beaten lately")
          .withRetryAfter(Duration.ofSeconds(3));
    }
    exchange.reply(200, Map.of("status", "ready", "nodes", alive));
  }

  void metrics(Exchange exchange) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream(16 << 10);
    PrometheusTextFormatWriter.create().write(out, registry.scrape());
    exchange.bytes(200, PrometheusTextFormatWriter.CONTENT_TYPE, out.toByteArray());
  }

  void openapi(Exchange exchange) {
    exchange.bytes(200, Exchange.JSON, Description.json());
  }
}
