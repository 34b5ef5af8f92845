// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dsec.link.FileRange;
import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.Reason;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.node.channel.TestFrames;
import io.dsec.node.exec.Applets;
import io.dsec.node.exec.ExecSession;
import io.dsec.node.exec.FakeGuest;
import io.dsec.proto.files.Done;
import io.dsec.proto.files.Opened;
import io.dsec.proto.files.Reply;
import io.dsec.proto.files.Request;
import io.dsec.proto.files.Stat;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.Start;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.ToGuest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** File agents of a guest that starts and answers when the test says so. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileAgentsTest {
  private static final Request STAT = Request.newBuilder().setStat(Stat.newBuilder()).build();
  private static final Reply DONE = Reply.newBuilder().setDone(Done.newBuilder()).build();

  @TempDir Path directory = Path.of("/");

  private final FakeGuest guest = new FakeGuest();
  private final Applets applets = new Applets(guest, guest, "agent", 1);
  private final ExecSession session = new ExecSession((_, _) -> {});
  private final FileAgents agents = new FileAgents(applets, guest);
  private final Map<Long, Long> said = new HashMap<>();

  @BeforeEach
  void attach() {
    session.attach(guest.table(directory), applets, null);
  }

  @AfterEach
  void end() {
    applets.endAll(_ -> new Ending.Killed(Reason.REQUESTED));
  }

  private CompletableFuture<Reply> ask(String user, boolean again) {
    return CompletableFuture.supplyAsync(
        () -> agents.ask(Optional.of(user), STAT, again),
        Executors.newVirtualThreadPerTaskExecutor());
  }

  private List<Start> starts() {
    return guest.sent.stream().filter(ToGuest::hasStart).map(ToGuest::getStart).toList();
  }

  /** Waits for the start number {@code which}, counted from 1, and lets it run. */
  private long started(int which) throws ProtocolBreach {
    await().until(() -> starts().size() >= which);
    long number = starts().get(which - 1).getExec();
    session.started(Started.newBuilder().setExec(number).build());
    return number;
  }

  private void answer(long number, Reply reply) throws ProtocolBreach {
    ByteBuffer frame = ByteBuffer.allocate(4 + reply.getSerializedSize());
    frame.putInt(reply.getSerializedSize()).put(reply.toByteArray());
    long at = said.getOrDefault(number, 0L);
    session.output(TestFrames.output(number, 0, at, frame.array()));
    said.put(number, at + frame.capacity());
  }

  private void ended(long number) throws ProtocolBreach {
    session.ended(
        Ended.newBuilder()
            .setExec(number)
            .setKind(Ended.Kind.SIGNALED)
            .setCode(9)
            .setStdoutBytes(said.getOrDefault(number, 0L))
            .build());
  }

  private boolean killed(long number) {
    return guest.sent.stream().anyMatch(m -> m.hasSignal() && m.getSignal().getExec() == number);
  }

  @Test
  void anAgentThatDoesNotStartHoldsUpNobodyElse() throws Exception {
    CompletableFuture<Reply> stalled = ask("one", true);
    await().until(() -> starts().size() == 1);
    CompletableFuture<Reply> other = ask("two", true);
    answer(started(2), DONE);
    assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo(DONE);
    guest.due.forEach(Runnable::run);
    agents.rest();
    assertThat(stalled).isNotDone();
  }

  @Test
  void manyRequestsOfOneUserShareOneAgent() throws Exception {
    List<CompletableFuture<Reply>> asked =
        List.of(ask("one", true), ask("one", true), ask("one", true));
    long agent = started(1);
    for (int i = 0; i < 3; i++) {
      answer(agent, DONE);
    }
    for (CompletableFuture<Reply> one : asked) {
      assertThat(one.get(10, TimeUnit.SECONDS)).isEqualTo(DONE);
    }
    assertThat(starts()).hasSize(1);
  }

  @Test
  void anIdleAgentEndsAndAnotherStartsWhenNeeded() throws Exception {
    CompletableFuture<Reply> first = ask("one", true);
    long agent = started(1);
    answer(agent, DONE);
    first.get(10, TimeUnit.SECONDS);
    guest.due.removeFirst().run();
    assertThat(killed(agent)).as("it was used a moment ago").isFalse();
    guest.now = Duration.ofSeconds(30).toNanos();
    guest.due.removeFirst().run();
    assertThat(killed(agent)).isTrue();
    CompletableFuture<Reply> second = ask("one", true);
    answer(started(2), DONE);
    assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(DONE);
  }

  @Test
  void anAgentThatDoesNotAnswerIsGivenUp() throws Exception {
    CompletableFuture<Reply> asked = ask("one", true);
    long agent = started(1);
    for (int seconds = 31; !asked.isDone(); seconds += 31) { // whenever its waiting begins
      guest.now = Duration.ofSeconds(seconds).toNanos();
      session.stdinWindow(StdinWindow.newBuilder().setExec(agent).setLimit(1 << 20).build());
      Thread.onSpinWait();
    }
    assertThatThrownBy(() -> asked.get(10, TimeUnit.SECONDS))
        .hasMessageContaining("nothing moved inside the sandbox for 30 s");
    assertThat(killed(agent)).isTrue();
  }

  @Test
  void whatAKilledAgentDidNotAnswerIsAskedAgainOnlyWhereThatDoesNoHarm() throws Exception {
    CompletableFuture<Reply> harmless = ask("one", true);
    ended(started(1));
    answer(started(2), DONE);
    assertThat(harmless.get(10, TimeUnit.SECONDS)).isEqualTo(DONE);
    CompletableFuture<Reply> once = ask("two", false);
    ended(started(3));
    assertThatThrownBy(() -> once.get(10, TimeUnit.SECONDS)).hasMessageContaining("was stopped");
    assertThat(starts()).hasSize(3);
  }

  @Test
  void anAppletThatAnnouncesContentThatCannotComeIsEnded() throws Exception {
    CompletableFuture<?> read =
        CompletableFuture.supplyAsync(
            () ->
                new GuestFiles(agents, Optional.of("one")).read(Bytes.utf8("/f"), FileRange.WHOLE),
            Executors.newVirtualThreadPerTaskExecutor());
    answer(started(1), opened(Opened.newBuilder().setTooLong(true)));
    long applet = started(2);
    answer(applet, opened(Opened.newBuilder().setCount(0)));
    assertThatThrownBy(() -> read.get(10, TimeUnit.SECONDS)).hasMessageContaining("cannot come");
    assertThat(killed(applet)).isTrue();
  }

  private static Reply opened(Opened.Builder what) {
    return Reply.newBuilder().setOpened(what).build();
  }
}
