// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import io.dsec.link.ExecListener;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Prints the figures of a node without HTTP; run by hand. */
final class NodeFigures {
  private NodeFigures() {}

  public static void main(String[] args) throws Exception {
    Path data = TestNode.freshDirectory();
    try (TestNode node = TestNode.on(data)) {
      List<String> what = List.of(args);
      for (int i = 0; i < 3 && what.contains("latency"); i++) {
        createAndExec(node, 200);
      }
      for (int i = 0; i < 8 && what.contains("rate"); i++) {
        rate(node, 16, 150);
      }
      if (what.contains("output")) {
        output(node);
      }
      if (what.contains("idle")) {
        idle(node, 300);
      }
      if (what.contains("phases")) {
        phases(node);
      }
    }
    Leftovers.delete(data);
  }

  private static void createAndExec(TestNode node, int count) {
    long[] create = new long[count];
    long[] exec = new long[count];
    long[] second = new long[count];
    long[] remove = new long[count];
    for (int i = 0; i < count; i++) {
      long t0 = System.nanoTime();
      SandboxId id = node.create();
      long t1 = System.nanoTime();
      node.exec(id, "true");
      long t2 = System.nanoTime();
      node.exec(id, "true");
      long t3 = System.nanoTime();
      node.remove(id);
      long t4 = System.nanoTime();
      node.node.acknowledge(id);
      create[i] = t1 - t0;
      exec[i] = t2 - t1;
      second[i] = t3 - t2;
      remove[i] = t4 - t3;
    }
    print("create", create);
    print("exec true, first", exec);
    print("exec true, second", second);
    print("remove", remove);
  }

  private static void rate(TestNode node, int clients, int each) throws Exception {
    long cpu = cpuNanos();
    long begin = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int c = 0; c < clients; c++) {
      threads.add(
          Thread.startVirtualThread(
              () -> {
                for (int i = 0; i < each; i++) {
                  SandboxId id = node.create();
                  ExecResult r = node.exec(id, "true");
                  if (!r.ending().succeeded()) {
                    throw new IllegalStateException(r.ending().toString());
                  }
                  node.remove(id);
                  node.node.acknowledge(id);
                }
              }));
    }
    for (Thread t : threads) {
      t.join();
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        "create+exec+remove, %d clients: %.0f per second, %.2f ms of CPU in the JVM each; left: %d%n",
        clients,
        clients * each / seconds,
        (cpuNanos() - cpu) / 1e6 / clients / each,
        node.node.reports().size());
  }

  private static void output(TestNode node) {
    SandboxId id = node.create();
    for (int i = 0; i < 4; i++) {
      AtomicLong bytes = new AtomicLong();
      boolean listen = i % 2 == 0;
      ExecListener listener =
          listen
              ? new ExecListener() {
                @Override
                public void started(String exec) {}

                @Override
                public void output(Stream stream, long offset, ByteBuffer data) {
                  bytes.addAndGet(data.remaining());
                }
              }
              : ExecListener.NONE;
      long t0 = System.nanoTime();
      ExecResult r =
          node.node.exec(
              id, ExecSpec.of(List.of("sh", "-c", "head -c 3000000000 /dev/zero")), listener);
      double seconds = (System.nanoTime() - t0) / 1e9;
      System.out.printf(
          "output listener=%s: %.0f MB/s (%s, heard %d, stderr %s)%n",
          listen, r.stdoutBytes() / seconds / 1e6, r.ending(), bytes.get(), r.stderr().lossyText());
    }
    node.remove(id);
  }

  private static void idle(TestNode node, int count) {
    System.gc();
    long before = used();
    List<SandboxId> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(node.create());
    }
    System.gc();
    System.out.printf("idle sandbox: %d bytes of heap%n", (used() - before) / count);
    ids.forEach(node::remove);
  }

  private static void phases(TestNode node) {
    node.registry.scrape(name -> name.equals("dsec_node_start_phase_seconds")).stream()
        .flatMap(snapshot -> snapshot.getDataPoints().stream())
        .map(HistogramSnapshot.HistogramDataPointSnapshot.class::cast)
        .forEach(
            p ->
                System.out.printf(
                    "%-40s %.3f ms%n", p.getLabels(), p.getSum() / p.getCount() * 1e3));
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  private static long used() {
    Runtime r = Runtime.getRuntime();
    return r.totalMemory() - r.freeMemory();
  }

  private static void print(String what, long[] nanos) {
    Arrays.sort(nanos);
    System.out.printf(
        "%-20s p50 %.2f ms  p95 %.2f  p99 %.2f%n",
        what,
        nanos[nanos.length / 2] / 1e6,
        nanos[nanos.length * 95 / 100] / 1e6,
        nanos[nanos.length * 99 / 100] / 1e6);
  }
}
