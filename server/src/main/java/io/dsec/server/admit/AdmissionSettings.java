// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.admit;

import java.util.List;

/**
 * @param createsPerSecond per tenant; 0 lifts the limit (benchmarks)
 * @param createBurst creates that may come at once
 * @param placementsPerSecond into the scheduler; 0 lifts the limit
 * @param placementsInFlight starts that one node works on at a time
 * @param queueLimit sandboxes that may wait for a node
 */
public record AdmissionSettings(
    int createsPerSecond,
    int createBurst,
    int placementsPerSecond,
    int placementsInFlight,
    int queueLimit) {
  public static final AdmissionSettings DEFAULT = new AdmissionSettings(50, 50, 200, 32, 10_000);

  /** Nothing is limited but the queue and the starts in flight. */
  public AdmissionSettings lifted() {
    return new AdmissionSettings(0, createBurst, 0, placementsInFlight, queueLimit);
  }

  public void problems(List<String> problems) {
    if (createsPerSecond < 0 || placementsPerSecond < 0) {
      problems.add("admission rates must be 0 (no limit) or more");
    }
    if (createBurst < 1) {
      problems.add("admission.create_burst is " + createBurst + "; it must be at least 1");
    }
    if (placementsInFlight < 1) {
      problems.add("admission.placements_in_flight must be at least 1");
    }
    if (queueLimit < 1) {
      problems.add("admission.queue_limit must be at least 1");
    }
  }
}
