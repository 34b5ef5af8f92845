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
  static Figure below(String bench, String figure, double value, String unit, double limit) {
    return new Figure(
        bench, figure, value, unit, "", Double.NaN, "<= " + limit + " " + unit, value <= limit);
  }

  static Figure above(String bench, String figure, double value, String unit, double limit) {
    return new Figure(
        bench, figure, value, unit, "", Double.NaN, ">= " + limit + " " + unit, value >= limit);
  }

  /** At most {@code factor} times what the peer needs. */
  static Figure atMost(
      String bench,
      String figure,
      double value,
      String unit,
      double factor,
      String peer,
      double peerValue) {
    return new Figure(
        bench,
        figure,
        value,
        unit,
        peer,
        peerValue,
        "<= " + factor + " x " + peer,
        value <= factor * peerValue);
  }

  /** At least {@code factor} times what the peer reaches. */
  static Figure atLeast(
      String bench,
      String figure,
      double value,
      String unit,
      double factor,
      String peer,
      double peerValue) {
    return new Figure(
        bench,
        figure,
        value,
        unit,
        peer,
        peerValue,
        ">= " + factor + " x " + peer,
        value >= factor * peerValue);
  }

  /** For orientation, without a goal. */
  static Figure told(String bench, String figure, double value, String unit) {
    return new Figure(bench, figure, value, unit, "", Double.NaN, "", true);
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
