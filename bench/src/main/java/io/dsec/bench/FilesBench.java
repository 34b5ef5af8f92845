// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.Files;
import io.dsec.client.SandboxRequest;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Small writes one after the other over one connection, and 1 GiB each way beside {@code cp} of the
 * same file.
 */
final class FilesBench implements Benchmark {
  private static final long BYTES = 1L << 30;
  private static final int WRITES = 1000;
  private static final int ROUNDS = 5;

  @Override
  public String name() {
    return "files";
  }

  @Override
  public List<Figure> run() throws Exception {
    Path here = java.nio.file.Files.createTempDirectory("dsec-bench-files");
    try (Dsec dsec = Dsec.start()) {
      SandboxId box = dsec.create(SandboxRequest.of("host").cpu(2).memory(2L << 30).disk(5L << 30));
      Figure writes =
          Figure.of("files", "small-writes-per-second", smallWrites(dsec, box), "1/s")
              .atLeast(1500);
      Path file = here.resolve("file");
      Peers.check(
          new ProcessBuilder(
              "dd", "if=/dev/urandom", "of=" + file, "bs=1M", "count=" + (BYTES >> 20)));
      double[] up = new double[ROUNDS];
      double[] down = new double[ROUNDS];
      double[] copied = new double[ROUNDS];
      Files files = dsec.client().sandboxes().files(box);
      for (int i = -1; i < ROUNDS; i++) {
        double copy = rate(() -> copy(file, here.resolve("copy")));
        double sent = rate(() -> upload(dsec, box, file));
        double received = rate(() -> download(files));
        if (i >= 0) {
          copied[i] = copy;
          up[i] = sent;
          down[i] = received;
        }
      }
      for (double[] rates : List.of(up, down, copied)) {
        Arrays.sort(rates);
      }
      double peer = copied[ROUNDS / 2];
      return List.of(
          writes,
          Figure.of("files", "upload", up[ROUNDS / 2], "MB/s").atLeast(0.3, "local copy", peer),
          Figure.of("files", "download", down[ROUNDS / 2], "MB/s")
              .atLeast(0.3, "local copy", peer));
    } finally {
      for (String name : List.of("file", "copy")) {
        java.nio.file.Files.deleteIfExists(here.resolve(name));
      }
      java.nio.file.Files.delete(here);
    }
  }

  /** Per second, the median of some rounds: the first ones warm everything up. */
  private static double smallWrites(Dsec dsec, SandboxId box) throws Exception {
    double[] rates = new double[ROUNDS];
    String text = "x".repeat(100);
    try (Wire wire = dsec.wire()) {
      for (int i = -2; i < ROUNDS; i++) {
        long start = System.nanoTime();
        for (int n = 0; n < WRITES; n++) {
          String path = "/v1/sandboxes/%s/files?path=/workspace/f%d".formatted(box.value(), n);
          String _ = wire.call("PUT", path, text, 200);
        }
        if (i >= 0) {
          rates[i] = WRITES * 1e9 / (System.nanoTime() - start);
        }
      }
    }
    Arrays.sort(rates);
    return rates[ROUNDS / 2];
  }

  private interface Transfer {
    void run() throws Exception;
  }

  /** MB per second. */
  private static double rate(Transfer transfer) throws Exception {
    long start = System.nanoTime();
    transfer.run();
    return BYTES * 1e3 / (System.nanoTime() - start);
  }

  private static void copy(Path file, Path to) throws Exception {
    Peers.check(new ProcessBuilder("cp", "--reflink=never", file.toString(), to.toString()));
  }

  private static void upload(Dsec dsec, SandboxId box, Path file) throws IOException {
    String path = "/v1/sandboxes/%s/files?path=/workspace/big".formatted(box.value());
    try (Wire wire = dsec.wire()) {
      String reply = wire.upload(path, file);
      if (!reply.contains("\"size\":" + BYTES)) {
        throw new IOException("an upload was answered with " + reply);
      }
    }
  }

  private static void download(Files files) throws IOException {
    byte[] buffer = new byte[1 << 20];
    long got = 0;
    try (InputStream in = files.read("/workspace/big")) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        got += n;
      }
    }
    if (got != BYTES) {
      throw new IOException("%d bytes came".formatted(got));
    }
  }
}
