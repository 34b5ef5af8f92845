// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.observe;

import io.dsec.model.Ending;
import io.dsec.model.StateChange;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The server's own figures. Labels come from closed sets, so their number is bounded. Exemplars are
 * off: nothing is traced, and sampling them wakes a thread at each observation.
 */
public final class Meters {
  private static final double[] SECONDS = {
    .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 300
  };

  private final PrometheusRegistry registry;
  private final Histogram requests;
  private final Counter placements;
  private final Counter endings;
  private final Counter tasks;
  private final Histogram phases;

  public Meters(PrometheusRegistry registry) {
    this.registry = registry;
    JvmMetrics.builder().register(registry);
    requests =
        Histogram.builder()
            .withoutExemplars()
            .name("dsec_http_request_seconds")
            .help("Time of a call; streams count until their end.")
            .labelNames("route", "status")
            .classicUpperBounds(SECONDS)
            .classicOnly()
            .register(registry);
    placements =
        Counter.builder()
            .withoutExemplars()
            .name("dsec_placements")
            .help("Answers of nodes to placements: ok or an error code.")
            .labelNames("outcome")
            .register(registry);
    endings =
        Counter.builder()
            .withoutExemplars()
            .name("dsec_sandboxes_ended")
            .help("Sandboxes ended, by last state and reason.")
            .labelNames("state", "reason")
            .register(registry);
    tasks =
        Counter.builder()
            .withoutExemplars()
            .name("dsec_task_endings")
            .help("Main commands ended, by kind; retried attempts count too.")
            .labelNames("kind", "fault")
            .register(registry);
    phases =
        Histogram.builder()
            .withoutExemplars()
            .name("dsec_sandbox_start_seconds")
            .help("Time of the phases of a start.")
            .labelNames("phase")
            .classicUpperBounds(SECONDS)
            .classicOnly()
            .register(registry);
  }

  public PrometheusRegistry registry() {
    return registry;
  }

  /** A figure that is read when it is asked for. */
  public void gauge(String name, String help, IntSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(c -> c.call(value.getAsInt()))
        .register(registry);
  }

  public void request(String route, int status, double seconds) {
    requests.labelValues(route, Integer.toString(status)).observe(seconds);
  }

  public void placement(String outcome) {
    placements.labelValues(outcome).inc();
  }

  /** One phase of a start took so long; null when it was not measured. */
  public void phase(String phase, @Nullable Double seconds) {
    if (seconds != null) {
      phases.labelValues(phase).observe(seconds);
    }
  }

  public void ended(StateChange change) {
    endings
        .labelValues(
            change.state().name().toLowerCase(Locale.ROOT),
            change.reason().name().toLowerCase(Locale.ROOT))
        .inc();
  }

  public void taskEnded(Ending ending) {
    tasks.labelValues(ending.kind(), Boolean.toString(ending.isFault())).inc();
  }
}
