// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import java.util.Arrays;

/** Times of one repeated deed, in milliseconds. */
final class Sample {
  /** A deed that may fail. */
  interface Deed {
    void run() throws Exception;
  }

  private final double[] millis;

  private Sample(double[] millis) {
    this.millis = millis;
    Arrays.sort(millis);
  }

  /** Runs {@code warmup} uncounted and {@code runs} counted deeds, one after the other. */
  static Sample of(int warmup, int runs, Deed deed) throws Exception {
    for (int i = 0; i < warmup; i++) {
      deed.run();
    }
    double[] millis = new double[runs];
    for (int i = 0; i < runs; i++) {
      long start = System.nanoTime();
      deed.run();
      millis[i] = (System.nanoTime() - start) / 1e6;
    }
    return new Sample(millis);
  }

  static Sample of(double[] millis) {
    return new Sample(millis.clone());
  }

  double p50() {
    return at(0.50);
  }

  double p99() {
    return at(0.99);
  }

  private double at(double part) {
    return millis[(int) Math.min(millis.length - 1L, (long) (part * millis.length))];
  }
}
