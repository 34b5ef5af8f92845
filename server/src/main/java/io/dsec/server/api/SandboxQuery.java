// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxState;
import io.dsec.server.sandbox.SandboxFilter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The filter in the query of {@code /sandboxes}, and the cursor of its pages. */
final class SandboxQuery {
  private SandboxQuery() {}

  static SandboxFilter filter(Exchange exchange) {
    return new SandboxFilter(
        tenant(exchange),
        labels(exchange),
        exchange.query("state").map(SandboxQuery::state),
        Cursors.of(exchange));
  }

  static String tenant(Exchange exchange) {
    String tenant = exchange.query("tenant").orElse(exchange.caller().tenant());
    if (!exchange.caller().mayUse(tenant)) {
      throw DsecException.of(
              ErrorCode.FORBIDDEN, "this key may not look into tenant %s".formatted(tenant))
          .withField("tenant");
    }
    return tenant;
  }

  private static Map<String, String> labels(Exchange exchange) {
    Map<String, String> labels = new HashMap<>();
    for (String label : exchange.queries("label")) {
      int at = label.indexOf('=');
      if (at < 1) {
        throw DsecException.invalid("label", "label is \"%s\"; write name=value".formatted(label));
      }
      labels.put(label.substring(0, at), label.substring(at + 1));
    }
    return labels;
  }

  static SandboxState state(String text) {
    for (SandboxState state : SandboxState.values()) {
      if (state.name().toLowerCase(Locale.ROOT).equals(text)) {
        return state;
      }
    }
    throw DsecException.invalid("state", "state is \"%s\", which is none".formatted(text));
  }

  static Optional<String> nothingAsked(Exchange exchange) {
    return exchange.queries("label").isEmpty() && exchange.query("state").isEmpty()
        ? Optional.of("name what to delete: label=name=value or state=…")
        : Optional.empty();
  }
}
