// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import io.dsec.model.DsecException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The formats of {@code --format} and {@code ?format=}. */
public enum TrajectoryFormat {
  JSONL("application/x-ndjson"),
  CHAT("application/json"),
  ASCIICAST("application/x-asciicast"),
  ATIF("application/json"),
  OTLP("application/json");

  private final String mediaType;

  TrajectoryFormat(String mediaType) {
    this.mediaType = mediaType;
  }

  public static TrajectoryFormat of(String name) {
    for (TrajectoryFormat format : values()) {
      if (format.name().toLowerCase(Locale.ROOT).equals(name)) {
        return format;
      }
    }
    throw DsecException.invalid(
        "format",
        "\"%s\" is no format of a trajectory; there are %s"
            .formatted(
                name,
                Arrays.stream(values())
                    .map(f -> f.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "))));
  }

  public String mediaType() {
    return mediaType;
  }

  public TrajectoryExporter exporter() {
    return switch (this) {
      case JSONL -> new JsonlExporter();
      case CHAT -> new ChatExporter();
      case ASCIICAST -> new AsciicastExporter();
      case ATIF -> new AtifExporter();
      case OTLP -> new OtlpExporter();
    };
  }
}
