// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.Objects;

/** How an exec ended: a sum type, never one number. */
public sealed interface Ending {
  /** The program called exit with {@code code} (0 to 255). */
  record Exited(int code) implements Ending {}

  /** The program was ended by {@code signal}, sent by itself or by its user. */
  record Signaled(int signal) implements Ending {}

  /** The exec's time limit passed; everything it had started was killed. */
  record Timeout() implements Ending {}

  /** A process of the exec was killed for memory; the rest of the exec with it. */
  record Oom() implements Ending {}

  /** DSec or its user ended the exec. */
  record Killed(Reason reason) implements Ending {
    public Killed {
      Objects.requireNonNull(reason);
    }
  }

  /** Nobody knows how it ended. Always a fault of the platform. */
  record Lost(Reason reason) implements Ending {
    public Lost {
      Objects.requireNonNull(reason);
    }
  }

  /** The program never ran. */
  record NotStarted(Reason reason, String message) implements Ending {
    public NotStarted {
      Objects.requireNonNull(reason);
      Objects.requireNonNull(message);
    }
  }

  /** Wire name: {@code exited}, {@code signaled}, {@code timeout}, … */
  default String kind() {
    return switch (this) {
      case Exited _ -> "exited";
      case Signaled _ -> "signaled";
      case Timeout _ -> "timeout";
      case Oom _ -> "oom";
      case Killed _ -> "killed";
      case Lost _ -> "lost";
      case NotStarted _ -> "not_started";
    };
  }

  /** True when the platform, not the program, is to blame: mask such a result, do not score it. */
  default boolean isFault() {
    return switch (this) {
      case Exited _, Signaled _, Timeout _, Oom _ -> false;
      case Killed k -> k.reason().platform();
      case Lost _ -> true;
      case NotStarted n -> n.reason().platform();
    };
  }

  default boolean succeeded() {
    return this instanceof Exited(int code) && code == 0;
  }
}
