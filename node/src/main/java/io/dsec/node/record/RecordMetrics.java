// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** What the recorders of this node have written and what they could not write. */
final class RecordMetrics {
  private final CounterDataPoint events;
  private final CounterDataPoint bytes;
  private final CounterDataPoint dropped;
  private final CounterDataPoint errors;
  private final Counter gaps;

  RecordMetrics(PrometheusRegistry registry) {
    events = counter(registry, "dsec_record_events", "Events recorded").labelValues();
    bytes = counter(registry, "dsec_record_bytes", "Bytes of trajectories written").labelValues();
    dropped = counter(registry, "dsec_record_dropped_events", "Events not kept").labelValues();
    errors = counter(registry, "dsec_record_errors", "Failed writes and reads").labelValues();
    gaps =
        Counter.builder()
            .withoutExemplars()
            .name("dsec_record_gaps")
            .help("Gaps told in trajectories, by reason")
            .labelNames("reason")
            .register(registry);
  }

  private static Counter counter(PrometheusRegistry registry, String name, String help) {
    return Counter.builder().withoutExemplars().name(name).help(help).register(registry);
  }

  void event() {
    events.inc();
  }

  void written(long count) {
    bytes.inc(count);
  }

  void dropped() {
    dropped.inc();
  }

  void error() {
    errors.inc();
  }

  void gap(String reason) {
    gaps.labelValues(reason).inc();
  }
}
