// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.SandboxRequest;
import io.dsec.client.Terminal;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Semaphore;

/** From a key typed at a shell in a sandbox to what the shell shows for it. */
final class TerminalBench implements Benchmark {
  private static final int WARMUP = 500;
  private static final int RUNS = 1000;
  private static final byte BACKSPACE = 0x7f;

  @Override
  public String name() {
    return "terminal";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start()) {
      SandboxId box = dsec.create(SandboxRequest.of("host"));
      Screen screen = new Screen();
      ExecSpec shell =
          ExecSpec.of(List.of("bash", "--norc"))
              .withEnv("TERM", "xterm")
              .withEnv("PS1", "Q")
              .onTerminal(new TerminalSize(80, 24));
      try (Terminal terminal = dsec.client().sandboxes().terminal(box, shell, screen)) {
        screen.await('Q');
        double[] millis = new double[WARMUP + RUNS];
        for (int i = 0; i < millis.length; i++) {
          long start = System.nanoTime();
          type(terminal, (byte) 'a');
          screen.await('a');
          millis[i] = (System.nanoTime() - start) / 1e6;
          type(terminal, BACKSPACE);
          screen.await('K'); // the end of ESC [ K, which clears the rest of the line
        }
        Sample echo = Sample.of(java.util.Arrays.copyOfRange(millis, WARMUP, millis.length));
        return List.of(
            Figure.of("terminal", "echo-p50", echo.p50(), "ms").atMost(3),
            Figure.of("terminal", "echo-p99", echo.p99(), "ms"));
      }
    }
  }

  private static void type(Terminal terminal, byte key) {
    terminal.type(ByteBuffer.wrap(new byte[] {key}));
  }

  /** Of what is shown, the last character of each piece. */
  private static final class Screen implements Terminal.Listener {
    private final Semaphore shown = new Semaphore(0);
    private volatile byte last;

    @Override
    public void output(ByteBuffer data) {
      if (data.hasRemaining()) {
        last = data.get(data.limit() - 1);
        shown.release();
      }
    }

    void await(char end) throws InterruptedException {
      do {
        shown.acquire();
      } while (last != end);
    }
  }
}
