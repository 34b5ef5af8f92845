// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.random.RandomGenerator;

/** Random names. */
public final class Ids {
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

  private Ids() {}

  public static String task(RandomGenerator random) {
    return "t-" + letters(random, 16);
  }

  public static String batch(RandomGenerator random) {
    return "b-" + letters(random, 16);
  }

  /** {@code count} characters of five random bits each. */
  public static String letters(RandomGenerator random, int count) {
    StringBuilder out = new StringBuilder(count);
    for (int i = 0; i < count; i++) {
      out.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return out.toString();
  }
}
