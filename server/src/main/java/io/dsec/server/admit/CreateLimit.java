// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.admit;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Creates per second and tenant; a whole batch counts as one. */
public final class CreateLimit {
  private final AdmissionSettings settings;
  private final TimeMeter time;
  private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();

  public CreateLimit(AdmissionSettings settings, TimeMeter time) {
    this.settings = settings;
    this.time = time;
  }

  /** Takes one create, or throws {@code rate_limited} with the time to wait. */
  public void admit(String tenant) {
    if (settings.createsPerSecond() == 0) {
      return;
    }
    ConsumptionProbe probe =
        buckets.computeIfAbsent(tenant, _ -> bucket()).tryConsumeAndReturnRemaining(1);
    if (!probe.isConsumed()) {
      throw DsecException.of(
              ErrorCode.RATE_LIMITED,
              "tenant %s creates more than %d per second"
                  .formatted(tenant, settings.createsPerSecond()))
          .withRetryAfter(Duration.ofNanos(probe.getNanosToWaitForRefill()))
          .withHint("wait for Retry-After, or send many at once as a batch");
    }
  }

  private Bucket bucket() {
    Bandwidth limit =
        Bandwidth.builder()
            .capacity(settings.createBurst())
            .refillGreedy(settings.createsPerSecond(), Duration.ofSeconds(1))
            .build();
    return Bucket.builder().addLimit(limit).withCustomTimePrecision(time).build();
  }
}
