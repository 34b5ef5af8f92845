// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command that asks a running server. */
abstract class ServerCommand implements Callable<Integer> {
  final Surroundings around;
  @Mixin private final Connection connection;

  ServerCommand(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around.terminal().environment());
  }

  abstract int run(DsecClient client);

  @Override
  public Integer call() {
    try (DsecClient client = connection.open()) {
      return run(client);
    }
  }

  PrintStream out() {
    return around.terminal().print();
  }
}
