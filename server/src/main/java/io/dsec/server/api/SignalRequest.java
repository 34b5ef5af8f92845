// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Body of {@code POST …/processes/{process}/signal}.
 *
 * @param signal a name, with or without SIG, or a number
 * @param group to the whole process group, not to the process alone
 */
record SignalRequest(@Nullable JsonNode signal, @Nullable Boolean group) {
  private static final int MAX = 64;

  /** Of Linux, on all machines that DSec runs on. */
  private static final Map<String, Integer> NUMBERS =
      Map.ofEntries(
          Map.entry("HUP", 1),
          Map.entry("INT", 2),
          Map.entry("QUIT", 3),
          Map.entry("ABRT", 6),
          Map.entry("KILL", 9),
          Map.entry("USR1", 10),
          Map.entry("USR2", 12),
          Map.entry("PIPE", 13),
          Map.entry("ALRM", 14),
          Map.entry("TERM", 15),
          Map.entry("CHLD", 17),
          Map.entry("CONT", 18),
          Map.entry("STOP", 19),
          Map.entry("TSTP", 20),
          Map.entry("TTIN", 21),
          Map.entry("TTOU", 22),
          Map.entry("WINCH", 28));

  int number() {
    if (signal != null && signal.isInt() && signal.asInt() >= 1 && signal.asInt() <= MAX) {
      return signal.asInt();
    }
    if (signal != null && signal.isString()) {
      String name = signal.asString().toUpperCase(Locale.ROOT);
      Integer number = NUMBERS.get(name.startsWith("SIG") ? name.substring(3) : name);
      if (number != null) {
        return number;
      }
    }
    throw DsecException.invalid(
        "signal", "signal is %s; give a name such as \"TERM\", or 1 to 64".formatted(signal));
  }
}
