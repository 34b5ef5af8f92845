// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.client.Pause;
import io.dsec.client.Sandbox;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import java.time.Duration;

/** Waits until a sandbox runs, however long it is queued. */
final class RunningSandbox {
  private static final Duration FIRST = Duration.ofMillis(2);
  private static final Duration LONGEST = Duration.ofMillis(500);

  private final DsecClient client;
  private final Pause pause;

  RunningSandbox(DsecClient client, Pause pause) {
    this.client = client;
    this.pause = pause;
  }

  Sandbox await(SandboxId id) {
    Duration wait = FIRST;
    while (true) {
      Sandbox sandbox = client.sandboxes().get(id);
      if (sandbox.state() == SandboxState.RUNNING || sandbox.state() == SandboxState.PAUSED) {
        return sandbox;
      }
      if (sandbox.state().compareTo(SandboxState.RUNNING) > 0) {
        throw DsecException.of(
            ErrorCode.SANDBOX_FAILED,
            "the sandbox %s did not start: %s%s"
                .formatted(
                    id,
                    sandbox.reason(),
                    sandbox.message() == null ? "" : " (" + sandbox.message() + ")"));
      }
      try {
        pause.of(wait);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for " + id, e);
      }
      wait = wait.multipliedBy(2).compareTo(LONGEST) > 0 ? LONGEST : wait.multipliedBy(2);
    }
  }
}
