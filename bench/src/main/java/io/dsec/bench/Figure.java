// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import java.util.Locale;

/**
 * One measured number beside its goal.
 *
 * @param peer what it is compared with; empty when the goal is absolute
 * @param goal in words, as the promise was made
 */
record Figure(
    String bench,
    String figure,
    double value,
    String unit,
    String peer,
    double peerValue,
    String goal,
    boolean holds) {
  /** For orientation, until it gets a goal. */
  static Figure of(String bench, String figure, double value, String unit) {
    return new Figure(bench, figure, value, unit, "", Double.NaN, "", true);
  }

  Figure atMost(double limit) {
    return with("", Double.NaN, "<= " + limit + " " + unit, value <= limit);
  }

  /** At most {@code factor} times what the peer needs. */
  Figure atMost(double factor, String of, double needed) {
    return with(of, needed, "<= " + factor + " x " + of, value <= factor * needed);
  }

  Figure atLeast(double limit) {
    return with("", Double.NaN, ">= " + limit + " " + unit, value >= limit);
  }

  /** At least {@code factor} times what the peer reaches. */
  Figure atLeast(double factor, String of, double reached) {
    return with(of, reached, ">= " + factor + " x " + of, value >= factor * reached);
  }

  private Figure with(String of, double ofValue, String aim, boolean reached) {
    return new Figure(bench, figure, value, unit, of, ofValue, aim, reached);
  }

  String json() {
    return String.format(
        Locale.ROOT,
        "{\"bench\":\"%s\",\"figure\":\"%s\",\"value\":%s,\"unit\":\"%s\",\"peer\":%s,\"peer_value\":%s,\"goal\":\"%s\",\"holds\":%s}",
        bench,
        figure,
        number(value),
        unit,
        peer.isEmpty() ? "null" : '"' + peer + '"',
        Double.isNaN(peerValue) ? "null" : number(peerValue),
        goal,
        holds);
  }

  String row() {
    return String.format(
        Locale.ROOT,
        "%-8s %-26s %12s %-10s %-34s %12s  %s",
        bench,
        figure,
        number(value),
        unit,
        goal,
        Double.isNaN(peerValue) ? "" : number(peerValue),
        goal.isEmpty() ? "" : holds ? "holds" : "MISSES");
  }

  private static String number(double value) {
    return Math.abs(value) >= 100
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.3f", value);
  }
}
