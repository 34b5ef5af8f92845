// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.time.Clock;
import java.time.Instant;

/** Wall-clock times as text with microseconds; the part down to the second is kept for reuse. */
final class WallText {
  private record Second(long epoch, String text) {}

  private final Clock clock;
  private volatile Second latest = new Second(0, "1970-01-01T00:00:00");

  WallText(Clock clock) {
    this.clock = clock;
  }

  void write(LineBuffer out) {
    Instant now = clock.instant();
    Second second = latest;
    if (second.epoch != now.getEpochSecond()) {
      String text = Instant.ofEpochSecond(now.getEpochSecond()).toString();
      second = new Second(now.getEpochSecond(), text.substring(0, text.length() - 1));
      latest = second;
    }
    out.raw('"');
    out.raw(second.text);
    out.raw('.');
    out.padded(now.getNano() / 1000, 6);
    out.raw("Z\"");
  }
}
