// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.client.Endpoint;
import io.dsec.client.SandboxRequest;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Makes, uses and removes real sandboxes until the server's paths are hot, so that Java can keep
 * its profiles of them in a cache beside the distribution ({@code -XX:AOTCacheOutput}): a {@code
 * dsec up} with this cache needs a hundred sandboxes to become fast, where it needs thousands
 * without. In a directory of its own; needs what a node needs.
 */
public final class ServerTraining {
  private static final int SANDBOXES = 2_000;
  private static final int CLIENTS = 4;

  private ServerTraining() {}

  public static void main(String[] args) {
    LogSetup.quietHelidon();
    Path data = DataDirectory.temporary();
    OnExit onExit = OnExit.ofProcess();
    Embedded embedded;
    OnExit.Step step;
    try (OnExit.Hold _ = onExit.hold()) {
      embedded = Embedded.start(data, "127.0.0.1", 0, UpSettings.DEFAULT.unpaced());
      step = onExit.push(() -> end(embedded, data));
    }
    try (step;
        DsecClient client = new DsecClient(new Endpoint(embedded.url(), embedded.key()));
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      for (int i = 0; i < SANDBOXES; i++) {
        clients.execute(() -> use(client));
      }
    }
    end(embedded, data);
  }

  private static void end(Embedded embedded, Path data) {
    embedded.close();
    DataDirectory.remove(data);
  }

  private static void use(DsecClient client) {
    SandboxId id = client.sandboxes().create(SandboxRequest.of("host")).id();
    client.sandboxes().exec(id, ExecSpec.of(List.of("true")));
    client.sandboxes().delete(id, Duration.ZERO);
  }
}
