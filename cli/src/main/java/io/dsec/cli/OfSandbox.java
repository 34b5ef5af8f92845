// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.client.Sandboxes;
import io.dsec.model.SandboxId;
import picocli.CommandLine.Parameters;

/** A command about something in one sandbox. */
abstract class OfSandbox extends ServerCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String sandbox = "";

  OfSandbox(Surroundings around) {
    super(around);
  }

  @Override
  final int run(DsecClient client) {
    return run(client.sandboxes(), new SandboxId(sandbox));
  }

  abstract int run(Sandboxes sandboxes, SandboxId id);
}
