// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.FileSpec;
import io.dsec.model.MainCommand;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.node.exec.Applets;
import io.dsec.node.exec.ExecSession;
import io.dsec.node.exec.ExecTable;
import io.dsec.node.exec.FakeGuest;
import io.dsec.node.files.FileAgents;
import io.dsec.proto.guest.Ended;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MainRunTest {
  private static final Instant NOW = Instant.parse("2026-11-29T10:00:00Z");

  @TempDir Path directory = Path.of("/");

  private final FakeGuest guest = new FakeGuest();
  private final BlockingQueue<ExecResult> told = new ArrayBlockingQueue<>(4);
  private ExecTable execs;
  private Life life;
  private Applets applets;
  private FileAgents files;

  @BeforeEach
  void sandbox() {
    execs = guest.table(directory);
    applets = new Applets(guest, guest, "agent", 1);
    files = new FileAgents(applets, guest);
    Journal journal = new Journal(directory);
    life =
        new Life(
            journal,
            List.of(new StateChange(SandboxState.PREPARING, Reason.REQUESTED, "", NOW)),
            (_, _) -> {},
            () -> {});
    life.begin(JournalTest.placement());
    become(SandboxState.RUNNING, Reason.REQUESTED);
  }

  private void become(SandboxState state, Reason reason) {
    assertThat(life.become(new StateChange(state, reason, "", NOW))).isTrue();
  }

  private MainRun main(FileSpec... first) {
    MainCommand command = new MainCommand(ExecSpec.of(List.of("true")), List.of(first));
    return new MainRun(command, life, told::add);
  }

  private Optional<MainResult> onRecord() throws Exception {
    return JournalView.read(directory).orElseThrow().main();
  }

  private ExecResult told() throws InterruptedException {
    ExecResult result = told.poll(10, TimeUnit.SECONDS);
    assertThat(result).isNotNull();
    return result;
  }

  @Test
  void itsEndIsOnRecordBeforeAnyoneHears() throws Exception {
    MainRun main = main();
    main.begin(execs, files, "agent");
    assertThat(JournalView.read(directory).orElseThrow().mainExec()).contains(1L);
    execs.ended(Ended.newBuilder().setExec(1).setKind(Ended.Kind.EXITED).setCode(3).build());
    assertThat(told().ending()).isEqualTo(new Ending.Exited(3));
    assertThat(onRecord()).isEqualTo(main.result()).isPresent();
  }

  @Test
  void aTakeOverThatFailsHoldsUpNoTearDownAndKeepsTheEnd() throws Exception {
    MainRun main = main();
    JournalView view =
        new JournalView(
            JournalTest.placement(),
            life.history(),
            NOW,
            Optional.empty(),
            Optional.of(1L),
            Optional.empty(),
            List.of(),
            0);
    Parts parts = new Parts();
    parts.execs = execs;
    Adoption adoption = new Adoption(view, main, parts);
    adoption.welcome(_ -> Optional.of(new ExecSession.Acked(0, 0)));
    execs.endAll(_ -> new Ending.Lost(Reason.CHANNEL_BROKEN));
    main.awaitRecorded(); // nobody follows it yet: there is nothing to wait for
    adoption.follow();
    adoption.follow();
    main.awaitRecorded();
    assertThat(told().ending()).isEqualTo(new Ending.Lost(Reason.CHANNEL_BROKEN));
    assertThat(onRecord()).isEqualTo(main.result()).isPresent();
    assertThat(told).isEmpty();
  }

  private static final FileSpec FILE = new FileSpec("/work/in.txt", Bytes.utf8("x"), 0);

  @Test
  void aSandboxThatDoesNotAnswerIsNotTheCommandsFault() throws Exception {
    applets.endAll(_ -> new Ending.Lost(Reason.CHANNEL_BROKEN));
    main(FILE).begin(execs, files, "agent");
    assertThat(told().ending())
        .isInstanceOfSatisfying(
            Ending.NotStarted.class, e -> assertThat(e.reason()).isEqualTo(Reason.CHANNEL_BROKEN));
  }

  @Test
  void aSandboxThatEndsMeanwhileEndsTheCommandForItsOwnReason() throws Exception {
    become(SandboxState.STOPPING, Reason.TTL_EXPIRED);
    applets.endAll(_ -> new Ending.Killed(Reason.TTL_EXPIRED));
    main(FILE).begin(execs, files, "agent");
    assertThat(told().ending()).isEqualTo(new Ending.Killed(Reason.TTL_EXPIRED));
  }
}
