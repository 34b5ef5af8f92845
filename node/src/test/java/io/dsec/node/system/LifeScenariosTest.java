// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.link.SandboxReport;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.FileSpec;
import io.dsec.model.Guarantee;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class LifeScenariosTest extends SharedNode {
  private static final Duration SOON = Duration.ofSeconds(5);

  private static ExecSpec spec(String... argv) {
    return ExecSpec.of(List.of(argv));
  }

  private SandboxReport report(SandboxId id) {
    return node().node.report(id).orElseThrow();
  }

  private void eventuallyGone(SandboxId id) {
    eventually(SOON, () -> assertThat(told.get(id).state()).isEqualTo(SandboxState.GONE));
  }

  private static List<SandboxState> states(SandboxReport report) {
    return report.history().stream().map(StateChange::state).toList();
  }

  @Test
  void aSandboxLivesAndLeavesNothing() throws Exception {
    SandboxId id = node().create();
    assertThat(report(id).state()).isEqualTo(SandboxState.RUNNING);
    assertThat(node().node.remove(id, Duration.ZERO, Reason.REQUESTED)).isTrue();
    assertThatThrownBy(() -> node().exec(id, "true"))
        .isInstanceOfSatisfying(
            DsecException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GONE));
    eventuallyGone(id);
    assertThat(node().node.remove(id, Duration.ZERO, Reason.REQUESTED)).isFalse();
    assertThat(states(report(id)))
        .containsExactly(
            SandboxState.PREPARING, SandboxState.RUNNING, SandboxState.STOPPING, SandboxState.GONE);
    node().node.acknowledge(id);
    eventuallyForgotten(id);
  }

  @Test
  void f48TheSameOrderTwiceMakesOneSandbox() throws Exception {
    SandboxId id = SandboxId.random(new SecureRandom());
    var order = TestNode.placement(id, TestNode.SMALL, Optional.empty(), Duration.ofMinutes(1));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var one = threads.submit(() -> node().node.place(order));
      var two = threads.submit(() -> node().node.place(order));
      assertThat(one.get()).isEqualTo(two.get()).isEqualTo(node().node.place(order));
    }
    node().remove(id);
    eventuallyGone(id);
    assertThatThrownBy(() -> node().node.place(order)).isInstanceOf(DsecException.class);
  }

  @Test
  void aTaskEndsIsReportedAndRemoved() {
    SandboxId id =
        node()
            .task(
                spec("sh", "-c", "cat /workspace/in/a.txt; exit 7"),
                new FileSpec("/workspace/in/a.txt", Bytes.utf8("hello"), 0));
    eventuallyGone(id);
    ExecResult main = told.get(id).main().orElseThrow();
    assertThat(main.ending()).isEqualTo(new Ending.Exited(7));
    assertThat(main.stdout().lossyText()).isEqualTo("hello");
    assertThat(told.get(id).last().reason()).isEqualTo(Reason.FINISHED);
  }

  /** An end may be acknowledged while the last of the sandbox is still being put away. */
  private void eventuallyForgotten(SandboxId id) {
    eventually(
        Duration.ofSeconds(10),
        () -> {
          assertThat(node().node.report(id)).isEmpty();
          assertThat(Files.exists(node().data.resolve("sandboxes").resolve(id.value()))).isFalse();
        });
  }

  @Test
  void longOutputOfATaskSurvivesItsSandbox() {
    SandboxId id = node().task(spec("sh", "-c", "seq 1 300000; echo e >&2"));
    eventuallyGone(id);
    ExecResult main = report(id).main().orElseThrow();
    assertThat(main.stdoutBytes()).isEqualTo(main.stdout().length()).isGreaterThan(1_000_000);
    assertThat(main.stdout().lossyText()).endsWith("299999\n300000\n");
    node().node.acknowledge(id);
    eventuallyForgotten(id);
  }

  @Test
  void aTaskThatRunsTooLongEndsAsTimeout() {
    SandboxId id = node().task(spec("sleep", "60").withTimeout(Duration.ofMillis(300)));
    eventuallyGone(id);
    assertThat(told.get(id).main().orElseThrow().ending()).isEqualTo(new Ending.Timeout());
    assertThat(told.get(id).last().reason()).isEqualTo(Reason.TASK_TIMEOUT);
  }

  @Test
  void filesThatCannotBeWrittenAreNamed() {
    SandboxId id = node().task(spec("true"), new FileSpec("/proc/version/x", Bytes.utf8("no"), 0));
    eventuallyGone(id);
    Ending ending = told.get(id).main().orElseThrow().ending();
    assertThat(ending)
        .isInstanceOfSatisfying(
            Ending.NotStarted.class,
            e -> {
              assertThat(e.reason()).isEqualTo(Reason.FILES_REFUSED);
              assertThat(e.message()).contains("/proc/version/x", "Not a directory");
            });
    assertThat(ending.isFault()).isFalse();
  }

  @Test
  void aCancelledTaskIsKilled() {
    SandboxId id = node().task(spec("sleep", "60"));
    node().node.remove(id, Duration.ZERO, Reason.CANCELLED);
    eventuallyGone(id);
    assertThat(told.get(id).main().orElseThrow().ending())
        .isEqualTo(new Ending.Killed(Reason.CANCELLED));
  }

  @Test
  void aGraceLetsAProgramSaveItsWork() {
    SandboxId id = node().create();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ExecResult> exec =
          threads.submit(
              () ->
                  node()
                      .exec(
                          id,
                          "sh",
                          "-c",
                          "trap 'echo saved; exit 0' TERM; echo up;"
                              + " while :; do sleep 0.05; done"));
      eventually(
          SOON,
          () ->
              assertThat(node().exec(id, "sh", "-c", "cat /proc/[0-9]*/comm").stdout().lossyText())
                  .contains("sleep"));
      node().node.remove(id, Duration.ofSeconds(10), Reason.REQUESTED);
      assertThat(exec.get().stdout().lossyText()).isEqualTo("up\nsaved\n");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void timeToLiveEndsASandboxAndRenewingPutsItOff() {
    SandboxId id = SandboxId.random(new SecureRandom());
    SandboxId renewed = SandboxId.random(new SecureRandom());
    for (SandboxId each : List.of(id, renewed)) {
      node()
          .node
          .place(
              TestNode.placement(
                  each,
                  TestNode.SMALL,
                  Optional.of(new io.dsec.model.MainCommand(spec("sleep", "60"), List.of())),
                  Duration.ofMillis(700)));
    }
    node().node.renew(renewed, Clock.systemUTC().instant().plusSeconds(60));
    eventuallyGone(id);
    assertThat(told.get(id).main().orElseThrow().ending())
        .isEqualTo(new Ending.Killed(Reason.TTL_EXPIRED));
    assertThat(report(renewed).state()).isEqualTo(SandboxState.RUNNING);
    node().remove(renewed);
  }

  @Test
  void f45ADeadInitFailsItsSandboxAndWaitersHearOfIt() throws Exception {
    SandboxId id = node().create();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ExecResult> waits = threads.submit(() -> node().exec(id, "sleep", "60"));
      eventually(
          SOON,
          () ->
              assertThat(node().exec(id, "sh", "-c", "cat /proc/[0-9]*/comm").stdout().lossyText())
                  .contains("sleep"));
      long begin = System.nanoTime();
      Inits.kill(node().data, id);
      assertThat(waits.get().ending()).isEqualTo(new Ending.Lost(Reason.INIT_DIED));
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    }
    assertThatThrownBy(() -> node().exec(id, "true"))
        .isInstanceOfSatisfying(
            DsecException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.SANDBOX_FAILED);
              assertThat(e.message()).contains("init_died");
            });
    eventually(SOON, () -> assertThat(told.get(id).state()).isEqualTo(SandboxState.FAILED));
    assertThat(node().node.remove(id, Duration.ZERO, Reason.REQUESTED)).isTrue();
    assertThat(report(id).state()).isEqualTo(SandboxState.GONE);
  }

  @Test
  void theLauncherMayDieAtAnyTime() {
    SandboxId before = node().create();
    ProcessHandle launcher =
        ProcessHandle.current()
            .children()
            .filter(p -> p.info().command().orElse("").endsWith("dsec-guest"))
            .findFirst()
            .orElseThrow();
    launcher.destroyForcibly();
    SandboxId after = node().create();
    assertThat(node().exec(before, "true").ending()).isEqualTo(new Ending.Exited(0));
    assertThat(node().exec(after, "true").ending()).isEqualTo(new Ending.Exited(0));
    node().remove(before);
    node().remove(after);
  }

  @Test
  void aFailedStartSaysWhereAndLeavesNothing() {
    SandboxId id = SandboxId.random(new SecureRandom());
    Path directory = node().data.resolve("sandboxes").resolve(id.value());
    var order = TestNode.placement(id, TestNode.SMALL, Optional.empty(), Duration.ofMinutes(1));
    var unknown = TestNode.withImage(order, "no-such-image");
    assertThatThrownBy(() -> node().node.place(unknown))
        .isInstanceOfSatisfying(
            DsecException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IMAGE_NOT_FOUND));
    assertThat(node().node.report(id)).isEmpty();
    assertThat(Files.exists(directory)).isFalse();
  }

  @Test
  void f16WhatDoesNotFitIsRefusedAndSaysWhatIsShort() {
    SandboxId id = SandboxId.random(new SecureRandom());
    var order = TestNode.placement(id, TestNode.SMALL, Optional.empty(), Duration.ofMinutes(1));
    var big = TestNode.withGuarantee(order, new Guarantee(1, 1L << 45));
    assertThatThrownBy(() -> node().node.place(big))
        .isInstanceOfSatisfying(
            DsecException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NO_CAPACITY);
              assertThat(e.message()).contains("MiB of memory are free");
            });
    eventuallyForgotten(id);
  }

  @Test
  void aDirectoryHasOneNode() {
    assertThatThrownBy(() -> TestNode.on(node().data))
        .isInstanceOfSatisfying(
            DsecException.class, e -> assertThat(e.message()).contains(node().data.toString()));
  }

  @Test
  void heartbeatsCome() {
    eventually(SOON, () -> assertThat(beats).isNotEmpty());
    assertThat(beats.getFirst().node()).isEqualTo(node().node.info().node());
  }

  @Test
  void creatingAndRemovingAtOnceLeavesNothing() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 40; i++) {
        SandboxId id = SandboxId.random(new SecureRandom());
        var order = TestNode.placement(id, TestNode.SMALL, Optional.empty(), Duration.ofMinutes(1));
        var _ = threads.submit(() -> node().node.place(order));
        var _ =
            threads.submit(
                () -> {
                  while (!node().node.remove(id, Duration.ZERO, Reason.REQUESTED)) {
                    if (node()
                        .node
                        .report(id)
                        .map(r -> r.state() == SandboxState.GONE)
                        .orElse(false)) {
                      return null;
                    }
                    Thread.onSpinWait();
                  }
                  node().node.acknowledge(id);
                  return null;
                });
      }
    }
    eventually(
        SOON,
        () -> assertThat(node().node.reports().stream().filter(r -> r.state().live())).isEmpty());
  }
}
