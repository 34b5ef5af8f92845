// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.metrics;

import io.dsec.model.Ending;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Counters of one node; names begin with {@code dsec_node_}. Labels are closed sets. Exemplars are
 * off: nothing is traced, and sampling them wakes a thread at each observation.
 */
public final class NodeMetrics {
  private static final double[] START_SECONDS = {
    .0002, .0005, .001, .002, .004, .008, .016, .032, .064, .128, .256, .512, 1, 2, 5
  };

  private final PrometheusRegistry registry;
  private final Counter creates;
  private final Histogram phases;
  private final Counter execs;
  private final Counter failures;
  private final Counter breaches;
  private final Counter repairs;
  private final Counter teardownErrors;
  private final Counter launcherRestarts;
  private final Counter journalErrors;
  private final Counter pauses;
  private final Counter reclaimed;

  public NodeMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    creates = counter("creates", "Creates by outcome (running, failed, refused).", "outcome");
    phases =
        Histogram.builder()
            .withoutExemplars()
            .name("dsec_node_start_phase_seconds")
            .help("Time of each step of a sandbox's start.")
            .labelNames("phase")
            .classicOnly()
            .classicUpperBounds(START_SECONDS)
            .register(registry);
    execs = counter("execs", "Execs by ending.", "ending");
    failures = counter("sandbox_failures", "Sandboxes that failed, by reason.", "reason");
    breaches = counter("channel_breaches", "Breaches of the guest channel's contract.");
    repairs = counter("reconcile_repairs", "What reconciling found and repaired.", "kind");
    teardownErrors = counter("teardown_errors", "Tear-down steps that failed or hung.", "step");
    launcherRestarts = counter("launcher_restarts", "Times the launcher died.");
    journalErrors = counter("journal_errors", "Journal lines that could not be written.");
    pauses =
        counter("pauses", "Pauses by what came of it (paused, resumed, woken, failed).", "deed");
    reclaimed = counter("reclaimed_bytes", "Memory that paused sandboxes gave back.");
  }

  private Counter counter(String name, String help, String... labels) {
    return Counter.builder()
        .withoutExemplars()
        .name("dsec_node_" + name)
        .help(help)
        .labelNames(labels)
        .register(registry);
  }

  /** Asked at each scrape. */
  public void sandboxes(Supplier<Map<SandboxState, Long>> states) {
    GaugeWithCallback.builder()
        .name("dsec_node_sandboxes")
        .help("Sandboxes on this node by state.")
        .labelNames("state")
        .callback(
            gauge -> {
              Map<SandboxState, Long> now = states.get();
              Arrays.stream(SandboxState.values())
                  .forEach(state -> gauge.call(now.getOrDefault(state, 0L), lower(state)));
            })
        .register(registry);
  }

  public void create(String outcome) {
    creates.labelValues(outcome).inc();
  }

  public void phase(String name, long nanos) {
    phases.labelValues(name).observe(nanos / 1e9);
  }

  public void exec(Ending ending) {
    execs.labelValues(ending.kind()).inc();
  }

  public void failed(Reason reason) {
    failures.labelValues(lower(reason)).inc();
  }

  public void breach() {
    breaches.inc();
  }

  public void repaired(String kind) {
    repairs.labelValues(kind).inc();
  }

  public void teardownError(String step) {
    teardownErrors.labelValues(step).inc();
  }

  public void launcherRestarted() {
    launcherRestarts.inc();
  }

  public void paused(String deed) {
    pauses.labelValues(deed).inc();
  }

  public void reclaimed(long bytes) {
    reclaimed.inc(Math.max(0, bytes));
  }

  public void journalError() {
    journalErrors.inc();
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
