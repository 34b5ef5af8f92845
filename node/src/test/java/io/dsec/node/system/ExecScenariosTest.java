// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.ExecListener;
import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Limit;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExecScenariosTest extends SharedNode {
  private static ExecSpec spec(String... argv) {
    return ExecSpec.of(List.of(argv));
  }

  private static ExecSpec maxOutput(ExecSpec s, long max) {
    return s.draft().maxOutput(max).done();
  }

  private static ExecSpec stdin(ExecSpec s, Bytes data) {
    return s.draft().stdin(Optional.of(data)).done();
  }

  @Test
  void f9EveryEndingIsToldApart() {
    SandboxId id = node().create();
    assertThat(node().exec(id, "sh", "-c", "exit 124").ending()).isEqualTo(new Ending.Exited(124));
    assertThat(node().exec(id, "sh", "-c", "exit 137").ending()).isEqualTo(new Ending.Exited(137));
    assertThat(node().exec(id, "sh", "-c", "kill -9 $$").ending())
        .isEqualTo(new Ending.Signaled(9));
    assertThat(node().exec(id, spec("sleep", "60").withTimeout(SECOND)).ending())
        .isEqualTo(new Ending.Timeout());
    ExecResult oom = node().exec(id, "python3", "-c", "b=bytearray(400<<20)");
    assertThat(oom.ending()).isEqualTo(new Ending.Oom());
    assertThat(oom.limitsHit()).contains(Limit.MEMORY);
    assertThat(node().exec(id, "echo", "alive").stdout().lossyText()).isEqualTo("alive\n");
    node().remove(id);
  }

  @Test
  void f26WhatCannotStartSaysWhy() {
    SandboxId id = node().create();
    ExecSpec lost = spec("pwd").draft().cwd(Optional.of("/nope")).done();
    ExecSpec unknown = spec("pwd").draft().user(Optional.of("nobodyhere")).done();
    assertThat(reason(node().exec(id, spec("nosuchbin")))).isEqualTo(Reason.PROGRAM_NOT_FOUND);
    assertThat(reason(node().exec(id, spec("/etc/passwd")))).isEqualTo(Reason.NOT_EXECUTABLE);
    assertThat(reason(node().exec(id, lost))).isEqualTo(Reason.BAD_CWD);
    assertThat(reason(node().exec(id, unknown))).isEqualTo(Reason.BAD_USER);
    node().remove(id);
  }

  private static Reason reason(ExecResult result) {
    assertThat(result.ending()).isInstanceOf(Ending.NotStarted.class);
    return ((Ending.NotStarted) result.ending()).reason();
  }

  @Test
  void f2ATimeoutLeavesNoProcess() {
    SandboxId id = node().create();
    ExecResult result =
        node()
            .sh(
                id,
                "trap '' TERM; setsid sh -c 'while :; do date +%s%N >/tmp/tick; sleep 0.1; done' &"
                    + " sleep 600",
                SECOND);
    assertThat(result.ending()).isEqualTo(new Ending.Timeout());
    assertThat(result.duration()).isBetween(Duration.ofMillis(900), Duration.ofSeconds(2));
    ExecResult twice = node().exec(id, "sh", "-c", "cat /tmp/tick; sleep 0.4; cat /tmp/tick");
    List<String> ticks = twice.stdout().lossyText().lines().toList();
    assertThat(ticks).hasSize(2);
    assertThat(ticks.get(0)).isEqualTo(ticks.get(1));
    node().remove(id);
  }

  @Test
  void f1ABackgroundChildDoesNotHoldTheCall() {
    SandboxId id = node().create();
    for (int i = 0; i < 50; i++) {
      ExecResult result = node().exec(id, "sh", "-c", "sleep 30 & echo started");
      assertThat(result.stdout().lossyText()).isEqualTo("started\n");
      assertThat(result.duration()).isLessThan(SECOND);
    }
    node().remove(id);
  }

  @Test
  void f7WithoutStdinReadersSeeTheEnd() {
    SandboxId id = node().create();
    ExecSpec cat = spec("cat").withTimeout(Duration.ofSeconds(5));
    assertThat(node().exec(id, cat).ending()).isEqualTo(new Ending.Exited(0));
    assertThat(node().exec(id, stdin(cat, Bytes.EMPTY)).ending()).isEqualTo(new Ending.Exited(0));
    assertThat(node().exec(id, "sh", "-c", "read x; echo got=$x").stdout().lossyText())
        .isEqualTo("got=\n");
    node().remove(id);
  }

  @Test
  void stdinArrivesWholeAndAProgramMayIgnoreIt() {
    SandboxId id = node().create();
    byte[] data = new byte[5_000_000];
    new Random(7).nextBytes(data);
    ExecResult result = node().exec(id, maxOutput(stdin(spec("cat"), Bytes.wrap(data)), 8_000_000));
    assertThat(result.stdout()).isEqualTo(Bytes.wrap(data));
    assertThat(node().exec(id, stdin(spec("true"), Bytes.wrap(data))).ending())
        .isEqualTo(new Ending.Exited(0));
    node().remove(id);
  }

  @Test
  void f8OutputBeforeATimeoutIsKept() {
    SandboxId id = node().create();
    ExecResult result = node().sh(id, "echo before; echo err >&2; sleep 60", SECOND);
    assertThat(result.ending()).isEqualTo(new Ending.Timeout());
    assertThat(result.stdout().lossyText()).isEqualTo("before\n");
    assertThat(result.stderr().lossyText()).isEqualTo("err\n");
    node().remove(id);
  }

  @Test
  void f10HeadAndTailAreKept() {
    SandboxId id = node().create();
    ExecSpec seq = spec("sh", "-c", "seq 1 1000000; echo done >&2; exit 3");
    ExecResult result = node().exec(id, maxOutput(seq, 64 << 10));
    StringBuilder all = new StringBuilder();
    IntStream.rangeClosed(1, 1_000_000).forEach(i -> all.append(i).append('\n'));
    assertThat(result.ending()).isEqualTo(new Ending.Exited(3));
    assertThat(result.stderr().lossyText()).isEqualTo("done\n");
    assertThat(result.stdoutBytes()).isEqualTo(all.length());
    assertThat(result.limitsHit()).containsExactly(Limit.OUTPUT);
    assertThat(result.stdout().lossyText())
        .isEqualTo(all.substring(0, 32 << 10) + all.substring(all.length() - (32 << 10)));
    node().remove(id);
  }

  @Test
  void aSlowListenerLosesNothingAndHoldsBackOnlyItself() throws Exception {
    SandboxId id = node().create();
    ExecSpec yes = maxOutput(spec("sh", "-c", "seq 1 1500000; echo end >&2"), 1024);
    StringBuilder heard = new StringBuilder();
    ExecListener slow =
        new ExecListener() {
          @Override
          public void started(String exec) {
            heard.append("started ");
          }

          @Override
          public void output(Stream stream, long offset, ByteBuffer data) {
            if (stream == Stream.STDOUT) {
              assertThat(offset).isEqualTo(heard.length() - "started ".length());
              heard.append(java.nio.charset.StandardCharsets.US_ASCII.decode(data));
            }
            java.util.concurrent.locks.LockSupport.parkNanos(3_000_000);
          }
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ExecResult> slowly = threads.submit(() -> node().node.exec(id, yes, slow));
      assertThat(node().exec(id, "echo", "quick").duration()).isLessThan(SECOND);
      assertThat(slowly.get().ending()).isEqualTo(new Ending.Exited(0));
    }
    StringBuilder all = new StringBuilder("started ");
    IntStream.rangeClosed(1, 1_500_000).forEach(i -> all.append(i).append('\n'));
    assertThat(heard.length()).isEqualTo(all.length());
    assertThat(heard.compareTo(all)).isZero();
    node().remove(id);
  }

  @Test
  void f51ATimeoutFiresThoughItsListenerHangs() {
    SandboxId id = node().create();
    long begin = System.nanoTime();
    java.util.concurrent.CountDownLatch release = new java.util.concurrent.CountDownLatch(1);
    ExecListener hung =
        new ExecListener() {
          @Override
          public void started(String exec) {}

          @Override
          public void output(Stream stream, long offset, ByteBuffer data) {
            try {
              release.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ExecResult> result =
          threads.submit(() -> node().node.exec(id, spec("yes").withTimeout(SECOND), hung));
      eventually(
          Duration.ofSeconds(3),
          () ->
              assertThat(node().exec(id, "sh", "-c", "cat /proc/[0-9]*/comm").stdout().lossyText())
                  .doesNotContain("yes"));
      eventually(
          Duration.ofSeconds(5),
          () -> assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(SECOND));
      release.countDown();
      assertThat(result.get().ending()).isEqualTo(new Ending.Timeout());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    node().remove(id);
  }

  @Test
  void f29InitReapsAndCannotBeKilled() throws Exception {
    SandboxId id = node().create();
    List<Future<ExecResult>> nines = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 60; i++) {
        nines.add(threads.submit(() -> node().exec(id, "sh", "-c", "exit 9")));
      }
      ExecResult zombies =
          node()
              .exec(
                  id,
                  "sh",
                  "-c",
                  "for i in $(seq 60); do (sleep 0.01 &); done; sleep 1;"
                      + " grep -l '^State:.*Z' /proc/[0-9]*/status | wc -l");
      assertThat(zombies.stdout().lossyText()).isEqualTo("0\n");
      for (Future<ExecResult> nine : nines) {
        assertThat(nine.get().ending()).isEqualTo(new Ending.Exited(9));
      }
    }
    node().exec(id, "sh", "-c", "kill -9 1; kill -9 -1");
    assertThat(node().exec(id, "echo", "alive").stdout().lossyText()).isEqualTo("alive\n");
    node().remove(id);
  }

  @Test
  void f44AForkBombHurtsOnlyItself() {
    SandboxId bomb = node().create();
    SandboxId neighbour = node().create();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ExecResult> result =
          threads.submit(
              () ->
                  node()
                      .exec(
                          bomb,
                          spec("bash", "-c", ":(){ :|:& };:; sleep 10")
                              .withTimeout(Duration.ofSeconds(2))));
      for (int i = 0; i < 10; i++) {
        assertThat(node().exec(neighbour, "true").ending()).isEqualTo(new Ending.Exited(0));
      }
      assertThat(result.get().limitsHit()).contains(Limit.PIDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    assertThat(node().exec(bomb, "true").ending()).isEqualTo(new Ending.Exited(0));
    node().remove(bomb);
    node().remove(neighbour);
    eventually(
        Duration.ofSeconds(10),
        () -> assertThat(told.get(bomb).state()).isEqualTo(io.dsec.model.SandboxState.GONE));
  }

  @Test
  void f45InitOutlivesAMemoryStorm() {
    SandboxId id = node().create();
    ExecSpec storm =
        spec(
                "python3",
                "-c",
                """
                import os,time
                for i in range(32):
                  if os.fork()==0: b=bytearray(30<<20); time.sleep(60); os._exit(0)
                time.sleep(60)
                """)
            .withTimeout(Duration.ofSeconds(20));
    assertThat(node().exec(id, storm).ending()).isEqualTo(new Ending.Oom());
    assertThat(node().exec(id, "true").ending()).isEqualTo(new Ending.Exited(0));
    node().remove(id);
  }

  @Test
  void theEnvironmentIsImageThenSandboxThenRequest() {
    SandboxId id = node().create();
    ExecSpec env =
        ExecSpec.program(List.of("env"))
            .cwd(Optional.of("/tmp"))
            .env(Map.of("MINE", "1", "FROM_SANDBOX", "over"))
            .user(Optional.of("root"))
            .done();
    assertThat(node().exec(id, env).stdout().lossyText())
        .contains("MINE=1\n", "FROM_SANDBOX=over\n", "HOME=/root\n", "PATH=");
    node().remove(id);
  }

  @Test
  void moreExecsThanASandboxMayHaveAreRefusedClearly() throws Exception {
    SandboxId id =
        node()
            .create(
                new io.dsec.model.Resources(
                    1, 512L << 20, 64L << 20, 1000, 0, io.dsec.model.Resources.DiskMedium.DISK, 0));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<ExecResult>> sleeps = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        sleeps.add(threads.submit(() -> node().exec(id, "sleep", "100")));
      }
      eventually(
          Duration.ofSeconds(20),
          () -> assertThat(sleeps.stream().filter(Future::isDone)).hasSize(300 - 256));
      assertThat(reason(node().exec(id, "true"))).isEqualTo(Reason.TOO_MANY_EXECS);
      node().remove(id);
      for (Future<ExecResult> sleep : sleeps) {
        assertThat(sleep.get().ending())
            .matches(
                e ->
                    e.equals(new Ending.Killed(Reason.REQUESTED))
                        || e instanceof Ending.NotStarted);
      }
    }
  }
}
