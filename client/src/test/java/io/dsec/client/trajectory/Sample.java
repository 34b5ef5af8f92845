// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The trajectory that the exporters are tested with, and what they are to make of it. */
final class Sample {
  private Sample() {}

  static List<String> lines() {
    return text("sample.jsonl").lines().toList();
  }

  static String text(String name) {
    try (InputStream in = Sample.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException(name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static String exported(TrajectoryFormat format) {
    StringBuilder out = new StringBuilder();
    try {
      format.exporter().export(lines().iterator(), out);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return out.toString();
  }
}
