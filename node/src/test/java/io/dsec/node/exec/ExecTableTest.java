// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Reason;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.node.channel.TestFrames;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.ToGuest;
import io.dsec.proto.guest.Welcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
  void whenTheSandboxEndsSoDoItsExecsAndLaterOnesAtOnce() {
    ExecTable table = table();
    Exec one = table.start(table.reserve(), TRUE, false);
    table.endAll(_ -> new Ending.Killed(Reason.REQUESTED));
    Exec two = table.start(table.reserve(), TRUE, false);
    assertThat(table.await(one).ending()).isEqualTo(new Ending.Killed(Reason.REQUESTED));
    assertThat(table.await(two).ending()).isEqualTo(new Ending.Killed(Reason.REQUESTED));
  }
}
