// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dsec.link.ExecListener;
import io.dsec.link.OutputCursor;
import io.dsec.link.ProcessInput;
import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Reason;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.node.channel.TestFrames;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Late;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.ToGuest;
import io.dsec.proto.guest.Welcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table against a guest that may say anything. */
class ExecTableTest {
  private static final ExecSpec TRUE = ExecSpec.of(List.of("true"));

  @TempDir Path directory = Path.of("/");

  private final FakeGuest guest = new FakeGuest();

  private ExecTable table() {
    return guest.table(directory);
  }

  private static Output output(long exec, long offset, String text) {
    return TestFrames.output(exec, 0, offset, text.getBytes(StandardCharsets.UTF_8));
  }

  private static Ended exited(long exec, int code, long stdout) {
    return Ended.newBuilder()
        .setExec(exec)
        .setKind(Ended.Kind.EXITED)
        .setCode(code)
        .setStdoutBytes(stdout)
        .build();
  }

  private static Welcome welcome(ExecStatus... execs) {
    return Welcome.newBuilder().addAllExecs(List.of(execs)).build();
  }

  private List<ToGuest.BodyCase> sent() {
    return guest.sent.stream().map(ToGuest::getBodyCase).toList();
  }

  @Test
  void anExecIsStartedEndedAndForgotten() throws Exception {
    ExecTable table = table();
    Exec exec = table.start(table.reserve(), TRUE, false);
    table.started(Started.newBuilder().setExec(1).build());
    table.output(output(1, 0, "hi"));
    table.ended(exited(1, 4, 2));
    ExecResult result = table.await(exec);
    table.handedOver(exec, false);
    assertThat(result.ending()).isEqualTo(new Ending.Exited(4));
    assertThat(result.stdout().lossyText()).isEqualTo("hi");
    assertThat(sent()).containsExactly(ToGuest.BodyCase.START, ToGuest.BodyCase.FORGET);
    assertThat(guest.events).containsExactly("exec.start", "exec.stdout@0:hi", "exec.end");
  }

  @Test
  void aGapInTheOutputIsABreach() {
    ExecTable table = table();
    Exec _ = table.start(table.reserve(), TRUE, false);
    assertThatThrownBy(() -> table.output(output(1, 5, "hi"))).isInstanceOf(ProtocolBreach.class);
  }

  @Test
  void outputBeyondItsCreditIsABreach() throws Exception {
    ExecTable table = table();
    Exec _ = table.start(table.reserve(), TRUE, true);
    byte[] piece = new byte[256 << 10];
    for (int i = 0; i < 4; i++) {
      table.output(TestFrames.output(1, 0, (long) i * piece.length, piece));
    }
    assertThatThrownBy(() -> table.output(TestFrames.output(1, 0, 4L * piece.length, piece)))
        .isInstanceOf(ProtocolBreach.class);
  }

  @Test
  void anExecThatWasNeverStartedIsABreach() {
    ExecTable table = table();
    Exec _ = table.start(table.reserve(), TRUE, false);
    assertThatThrownBy(() -> table.ended(exited(2, 0, 0))).isInstanceOf(ProtocolBreach.class);
    assertThatThrownBy(() -> table.ended(exited(-1, 0, 0))).isInstanceOf(ProtocolBreach.class);
  }

  @Test
  void anEndBeforeItsOutputIsABreach() {
    ExecTable table = table();
    Exec _ = table.start(table.reserve(), TRUE, false);
    assertThatThrownBy(() -> table.ended(exited(1, 0, 7))).isInstanceOf(ProtocolBreach.class);
  }

  @Test
  void afterAReconnectOnlyWhatIsMissingCounts() throws Exception {
    ExecTable table = table();
    Exec exec = table.start(table.reserve(), TRUE, false);
    table.output(output(1, 0, "abc"));
    guest.connection = 2;
    table.welcome(welcome(ExecStatus.newBuilder().setExec(1).setStarted(true).build()));
    table.output(output(1, 0, "abcde"));
    table.ended(exited(1, 0, 5));
    assertThat(table.await(exec).stdout().lossyText()).isEqualTo("abcde");
    assertThat(guest.events).contains("exec.stdout@3:de");
  }

  @Test
  void aStartThatGotLostIsSentAgainOnce() throws Exception {
    ExecTable table = table();
    Exec _ = table.start(table.reserve(), TRUE, false);
    guest.connection = 2;
    table.welcome(welcome());
    table.welcome(welcome());
    assertThat(sent()).containsExactly(ToGuest.BodyCase.START, ToGuest.BodyCase.START);
  }

  @Test
  void anExecThatInitHasForgottenIsLost() throws Exception {
    ExecTable table = table();
    Exec exec = table.start(table.reserve(), TRUE, false);
    table.started(Started.newBuilder().setExec(1).build());
    guest.connection = 2;
    table.welcome(welcome());
    assertThat(table.await(exec).ending()).isEqualTo(new Ending.Lost(Reason.CHANNEL_BROKEN));
  }

  @Test
  void theNodeItselfEndsWhatInitDoesNot() {
    ExecTable table = table();
    Exec exec = table.start(table.reserve(), TRUE.withTimeout(Duration.ofSeconds(1)), false);
    guest.due.getFirst().run();
    SharedWait.until(() -> guest.killed.contains(1L) && guest.due.size() == 2);
    guest.due.getLast().run();
    assertThat(table.await(exec).ending()).isEqualTo(new Ending.Timeout());
  }

  @Test
  void timeStandsStillWhileTheSandboxIsFrozen() throws Exception {
    ExecTable table = table();
    Exec exec = table.start(table.reserve(), TRUE.withTimeout(Duration.ofSeconds(1)), false);
    guest.now = Duration.ofMillis(400).toNanos();
    table.hold(true);
    assertThat(guest.due).as("nothing is due while it is frozen").isEmpty();
    guest.now = Duration.ofHours(1).toNanos();
    table.hold(false);
    assertThat(guest.due).hasSize(1);
    table.hold(true);
    guest.now = Duration.ofHours(2).toNanos();
    table.ended(exited(1, 0, 0).toBuilder().setDurationNs(Long.MAX_VALUE).build());
    assertThat(table.await(exec).duration()).isEqualTo(Duration.ofMillis(1400));
  }

  @Test
  void aGuestThatDoesNotReadHoldsUpOnlyWhoWritesToIt() throws Exception {
    ExecTable table = table();
    Exec exec = launched(table, OPEN);
    CountDownLatch reads = new CountDownLatch(1);
    CountDownLatch writing = new CountDownLatch(1);
    guest.onFlush =
        () -> {
          writing.countDown();
          assertThatNoException().isThrownBy(reads::await);
        };
    Thread writer =
        Thread.startVirtualThread(
            () -> {
              long _ = new CallerInput(exec).give(-1, Bytes.utf8("x"), false);
            });
    writing.await();
    Thread others =
        Thread.startVirtualThread(
            () -> {
              table.signalAll(15, Reason.REQUESTED);
              table.endAll(_ -> new Ending.Killed(Reason.REQUESTED));
            });
    assertThat(others.join(Duration.ofSeconds(10))).isTrue();
    reads.countDown();
    writer.join();
  }

  @Test
  void whenTheSandboxEndsSoDoItsExecsAndLaterOnesAtOnce() {
    ExecTable table = table();
    Exec one = table.start(table.reserve(), TRUE, false);
    table.endAll(_ -> new Ending.Killed(Reason.REQUESTED));
    Exec two = table.start(table.reserve(), TRUE, false);
    assertThat(table.await(one).ending()).isEqualTo(new Ending.Killed(Reason.REQUESTED));
    assertThat(table.await(two).ending()).isEqualTo(new Ending.Killed(Reason.REQUESTED));
  }

  private static final ExecSpec OPEN =
      ExecSpec.program(List.of("cat")).stdinOpen(true).maxOutput(1 << 20).done();

  private Exec launched(ExecTable table, ExecSpec spec) throws Exception {
    Thread launch = Thread.startVirtualThread(() -> table.launch(spec, _ -> {}));
    SharedWait.until(() -> sent().contains(ToGuest.BodyCase.START));
    table.started(Started.newBuilder().setExec(1).build());
    launch.join();
    return table.process("e-1");
  }

  private static String text(OutputCursor cursor) {
    StringBuilder all = new StringBuilder();
    for (OutputCursor.Piece p = cursor.next(); p != null; p = cursor.next()) {
      all.append(p.data().lossyText());
    }
    return all.toString();
  }

  private static ProcessOutput follow(Exec exec) {
    return new ProcessOutput(exec, ExecListener.Stream.STDOUT, 0, true);
  }

  @Test
  void aProcessInTheBackgroundIsForgottenWhenItIsRemoved() throws Exception {
    ExecTable table = table();
    Exec exec = launched(table, TRUE);
    CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> text(follow(exec)));
    table.output(output(1, 0, "early "));
    table.ended(exited(1, 0, 6).toBuilder().setOpen(true).build());
    table.output(output(1, 6, "late"));
    assertThat(table.processes().getFirst().ending()).contains(new Ending.Exited(0));
    assertThat(sent()).doesNotContain(ToGuest.BodyCase.FORGET);
    table.late(Late.newBuilder().setExec(1).build());
    assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo("early late");
    assertThat(table.process("e-1").info().stdoutBytes()).isEqualTo(10);
    SharedWait.until(() -> table.size() == 0);
    table.forget("e-1");
    assertThat(sent()).endsWith(ToGuest.BodyCase.FORGET);
    assertThat(guest.killed).contains(1L);
    assertThatThrownBy(() -> table.process("e-1")).hasMessageContaining("e-1");
  }

  @Test
  void readersOfAnOpenProcessEndWithTheSandbox() throws Exception {
    ExecTable table = table();
    Exec exec = launched(table, TRUE);
    CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> text(follow(exec)));
    table.output(output(1, 0, "x"));
    table.ended(exited(1, 0, 1).toBuilder().setOpen(true).build());
    table.endAll(_ -> new Ending.Killed(Reason.REQUESTED));
    assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo("x");
  }

  @Test
  void inputCountsOnceWaitsForCreditAndIsSentAgainAfterAReconnect() throws Exception {
    ExecTable table = table();
    Exec exec = launched(table, OPEN);
    ProcessInput input = new CallerInput(exec);
    assertThat(input.give(0, Bytes.utf8("abc"), false)).isEqualTo(3);
    assertThat(input.give(1, Bytes.utf8("bcd"), false)).isEqualTo(4);
    assertThatThrownBy(() -> input.give(9, Bytes.utf8("x"), false)).hasMessageContaining("at 4");
    table.stdinWindow(StdinWindow.newBuilder().setExec(1).setLimit(2).build());
    table.stdinWindow(StdinWindow.newBuilder().setExec(1).setLimit(1 << 18).build());
    assertThat(stdin()).isEqualTo("0:ab 2:c 3:d");
    guest.connection = 2;
    guest.sent.clear();
    ExecStatus status =
        ExecStatus.newBuilder().setExec(1).setStarted(true).setStdinReceived(2).build();
    table.welcome(welcome(status));
    assertThat(input.give(-1, Bytes.EMPTY, true)).isEqualTo(4);
    assertThat(stdin()).isEqualTo("2:c 3:d 4:!");
    assertThatThrownBy(() -> input.give(-1, Bytes.utf8("x"), false))
        .hasMessageContaining("no more");
  }

  @Test
  void whoLeavesWaitsNoLongerForAProgramThatDoesNotRead() throws Exception {
    ExecTable table = table();
    Exec exec = launched(table, OPEN);
    ProcessInput leaving = new CallerInput(exec);
    long held = leaving.give(-1, Bytes.wrap(new byte[256 << 10]), false);
    CompletableFuture<Throwable> refusal = new CompletableFuture<>();
    Thread waiting =
        Thread.startVirtualThread(
            () ->
                refusal.complete(
                    catchThrowable(() -> leaving.give(-1, Bytes.utf8("late"), false))));
    SharedWait.until(() -> waiting.getState() == Thread.State.WAITING);
    leaving.close();
    assertThat(refusal.get(10, TimeUnit.SECONDS)).hasMessageContaining("has left");
    table.stdinWindow(StdinWindow.newBuilder().setExec(1).setLimit(1 << 20).build());
    assertThat(new CallerInput(exec).give(-1, Bytes.EMPTY, false)).as("of others").isEqualTo(held);
  }

  /** What was sent as input, with offsets; {@code !} is end-of-file. */
  private String stdin() {
    return guest.sent.stream()
        .filter(ToGuest::hasStdin)
        .map(ToGuest::getStdin)
        .map(in -> in.getOffset() + ":" + in.getData().toStringUtf8() + (in.getClose() ? "!" : ""))
        .collect(Collectors.joining(" "));
  }

  @Test
  void theYoungestEndedOnesAreKept() throws Exception {
    ExecTable table = table();
    for (int i = 1; i <= 40; i++) {
      int number = i;
      Thread run =
          Thread.startVirtualThread(
              () -> {
                ExecResult _ = table.run(TRUE, ExecListener.NONE);
              });
      SharedWait.until(
          () -> table.processes().stream().anyMatch(p -> p.id().equals("e-" + number)));
      table.ended(exited(i, 0, 0));
      run.join();
    }
    assertThat(table.processes()).hasSize(32);
    assertThat(table.size()).isZero();
    assertThatThrownBy(() -> table.process("e-8")).hasMessageContaining("e-8");
    assertThat(table.process("e-9").info().background()).isFalse();
  }
}
