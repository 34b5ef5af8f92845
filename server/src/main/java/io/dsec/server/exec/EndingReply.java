// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.dsec.link.Json;
import io.dsec.model.Ending;
import io.dsec.model.Limit;
import io.dsec.model.Reason;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An ending as users see it: the same fields whatever its kind, with the limits that were hit. */
public record EndingReply(
    String kind,
    @Nullable Integer code,
    @Nullable Integer signal,
    @Nullable String reason,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String message,
    boolean isFault,
    List<String> limitsHit) {

  public static EndingReply of(Ending ending, Set<Limit> limits) {
    return new EndingReply(
        ending.kind(),
        ending instanceof Ending.Exited(int code) ? code : null,
        ending instanceof Ending.Signaled(int signal) ? signal : null,
        reason(ending),
        ending instanceof Ending.NotStarted(Reason _, String message) ? message : null,
        ending.isFault(),
        limits.stream().sorted().map(Json::lower).toList());
  }

  private static @Nullable String reason(Ending ending) {
    return switch (ending) {
      case Ending.Killed(Reason r) -> Json.lower(r);
      case Ending.Lost(Reason r) -> Json.lower(r);
      case Ending.NotStarted(Reason r, String _) -> Json.lower(r);
      default -> null;
    };
  }
}
