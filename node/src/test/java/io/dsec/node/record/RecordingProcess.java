// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.model.RecordMode;
import io.dsec.model.SandboxId;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/** A process to be killed: records from eight threads and tells each number it was given. */
final class RecordingProcess {
  private RecordingProcess() {}

  public static void main(String[] args) throws InterruptedException {
    SpooledRecordings recordings =
        new SpooledRecordings(
            RecordConfig.in(Path.of(args[0])),
            Clock.systemUTC(),
            System::nanoTime,
            new PrometheusRegistry());
    Recorder recorder = recordings.open(new SandboxId(args[1]), RecordMode.ON, List.of());
    PrintStream out = System.out;
    Thread last = Thread.currentThread();
    for (int n = 0; n < 8; n++) {
      String exec = "p" + ProcessHandle.current().pid() + "-" + n;
      last = Thread.ofVirtual().start(() -> record(recorder, exec, out));
    }
    last.join();
  }

  private static void record(Recorder recorder, String exec, PrintStream out) {
    byte[] output = new byte[5000];
    String text = "y".repeat(20_000);
    for (long offset = 0; !out.checkError(); offset += output.length) {
      recorder.bytes("exec.stdout", exec, offset, ByteBuffer.wrap(output));
      long seq = recorder.event("note", Map.of("text", text));
      synchronized (out) {
        out.println(seq);
      }
    }
  }
}
