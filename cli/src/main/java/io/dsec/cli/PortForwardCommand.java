// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.forward.Forward;
import io.dsec.cli.forward.PortPair;
import io.dsec.client.DsecClient;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "port-forward",
    description = "Reach TCP servers of a sandbox at ports of this machine, until Ctrl-C.",
    footer = {
      "",
      "Listens on 127.0.0.1 only. Each connection is one inside; it may be of any protocol over TCP.",
      "dsec port-forward sb-… 8888 9000:80 0:5432 takes 8888, 9000 for 80, and a free port for 5432."
    })
final class PortForwardCommand implements Callable<Integer> {
  private final Surroundings around;
  @Mixin private final Connection connection;

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "[LOCAL:]PORT",
      description = "The port inside, and the local one: the same by default, any free one for 0.")
  private List<String> ports = List.of();

  PortForwardCommand(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around.terminal().environment());
  }

  @Override
  public Integer call() throws InterruptedException {
    SandboxId sandbox = new SandboxId(id);
    List<PortPair> pairs = ports.stream().map(PortPair::of).toList();
    List<Forward> open = new ArrayList<>();
    try (DsecClient client = connection.open()) {
      SandboxState state = client.sandboxes().get(sandbox).state();
      if (state == SandboxState.GONE || state == SandboxState.FAILED) {
        throw DsecException.of(ErrorCode.GONE, "sandbox %s is %s".formatted(id, state));
      }
      for (PortPair pair : pairs) {
        open.add(Forward.listen(client.sandboxes(), sandbox, pair, around.terminal().complain()));
      }
      for (Forward each : open) {
        around.terminal().print().println(each);
      }
      new CountDownLatch(1).await(); // Ctrl-C ends the process
      return Exit.FINE;
    } finally {
      open.forEach(Forward::close);
    }
  }
}
