// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.link.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** What the Python SDK adds to a call, beside the same call over a bare socket. */
final class SdkBench implements Benchmark {
  private static final double GOAL_MS = 1;
  private static final String CALLS = "2000";
  private static final Map<String, String> FIGURES =
      Map.of(
          "get blocking", "get-blocking-adds",
          "get asyncio", "get-asyncio-adds",
          "exec blocking", "exec-blocking-adds",
          "exec asyncio", "exec-asyncio-adds");

  @Override
  public String name() {
    return "sdk";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start()) {
      ProcessBuilder builder =
          new ProcessBuilder(
                  Dsec.ROOT.resolve(".dsec/python/bin/python").toString(),
                  Dsec.ROOT.resolve("sdk/python/bench/overhead.py").toString(),
                  CALLS,
                  "--json")
              .redirectError(ProcessBuilder.Redirect.INHERIT);
      dsec.letFind(builder);
      Process python = builder.start();
      List<Figure> figures = new ArrayList<>();
      try (BufferedReader out = python.inputReader()) {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          figures.add(figure(Json.mapper().readTree(line)));
        }
      }
      if (python.waitFor() != 0) {
        throw new IOException("sdk/python/bench/overhead.py failed");
      }
      return figures;
    }
  }

  private static Figure figure(JsonNode line) {
    String call = line.path("call").asString("");
    String name = FIGURES.get(call + " " + line.path("client").asString(""));
    return name == null
        ? Figure.of("sdk", call + "-bare", line.path("p50_ms").asDouble(), "ms")
        : Figure.of("sdk", name, line.path("adds_ms").asDouble(), "ms").atMost(GOAL_MS);
  }
}
