// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.forward;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.client.DsecClient;
import io.dsec.client.Endpoint;
import io.dsec.model.SandboxId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ForwardTest {
  /** Out of descriptors. */
  private static final class Poor extends ServerSocket {
    private final CountDownLatch tries = new CountDownLatch(4);

    Poor() throws IOException {}

    @Override
    public Socket accept() throws IOException {
      tries.countDown();
      throw new SocketException("Too many open files");
    }
  }

  @Test
  @Timeout(20)
  void whatCannotAcceptSaysSoOnceAndGoesOn() throws Exception {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Poor server = new Poor();
    try (DsecClient client = new DsecClient(new Endpoint(URI.create("http://127.0.0.1:9"), "k"));
        Forward _ =
            Forward.listen(
                client.sandboxes(),
                new SandboxId("sb-aaaaaaaaaaaaaaaa"),
                new PortPair(0, 80),
                server,
                new PrintStream(said, true, UTF_8))) {
      server.tries.await();
    }
    assertThat(said.toString(UTF_8).lines())
        .containsExactly("dsec: connections are not accepted now: Too many open files");
  }
}
