// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Placement;
import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.FileSpec;
import io.dsec.model.Guarantee;
import io.dsec.model.Isolation;
import io.dsec.model.Limit;
import io.dsec.model.MainCommand;
import io.dsec.model.Priority;
import io.dsec.model.Reason;
import io.dsec.model.RecordMode;
import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.model.Tier;
import io.dsec.node.exec.ExecDefaults;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
  private static final Instant NOW = Instant.parse("2026-11-29T10:00:00.123456789Z");

  @TempDir Path directory = Path.of("/");

  static Placement placement() {
    SandboxSpec spec =
        new SandboxSpec(
            "host",
            Isolation.AUTO,
            Resources.DEFAULT,
            new Guarantee(0.1, 1 << 20),
            Map.of("A", "1"),
            Map.of("TOKEN", "s3cret"),
            Optional.of("root"),
            Optional.empty(),
            Duration.ofMinutes(30),
            Priority.BATCH,
            Map.of("k", "v"),
            Optional.empty(),
            RecordMode.ON,
            Optional.of(
                new MainCommand(
                    ExecSpec.of(List.of("sh", "-c", "true")),
                    List.of(new FileSpec("/a", Bytes.wrap(new byte[] {0, (byte) 0xff}), 0600)))));
    return new Placement(
        SandboxId.random(new Random(1)), 3, "acme", spec, Tier.CONTAINER, 2, NOW.plusSeconds(60));
  }

  private static StateChange change(SandboxState state) {
    return new StateChange(state, Reason.REQUESTED, "", NOW);
  }

  private static MainResult result() {
    return MainResult.of(
        new ExecResult(
            "e-1",
            new Ending.Exited(3),
            Set.of(Limit.OUTPUT),
            Bytes.utf8("out"),
            Bytes.EMPTY,
            3,
            0,
            Duration.ofMillis(5),
            4,
            9),
        1024);
  }

  private void write() throws Exception {
    try (Journal journal = new Journal(directory)) {
      journal.append(
          new JournalEntry.Placed(placement()),
          new JournalEntry.Changed(change(SandboxState.PREPARING)));
      journal.append(
          new JournalEntry.Launched(
              4711, 99, 1 << 28, "host", new ExecDefaults(Map.of("P", "/bin"), "agent", "")));
      journal.append(new JournalEntry.Changed(change(SandboxState.RUNNING)));
      journal.append(new JournalEntry.Renewed(NOW.plusSeconds(99)));
      journal.append(new JournalEntry.MainStarted(1));
      journal.append(new JournalEntry.Adopted(2));
      journal.append(new JournalEntry.MainEnded(result()));
    }
  }

  @Test
  void whatIsWrittenIsRead() throws Exception {
    write();
    JournalView view = JournalView.read(directory).orElseThrow();
    assertThat(view.placement()).isEqualTo(placement());
    assertThat(view.history())
        .containsExactly(change(SandboxState.PREPARING), change(SandboxState.RUNNING));
    assertThat(view.expiresAt()).isEqualTo(NOW.plusSeconds(99));
    assertThat(view.launched().orElseThrow().idBase()).isEqualTo(1 << 28);
    assertThat(view.launched().orElseThrow().defaults().user()).isEqualTo("agent");
    assertThat(view.mainExec()).contains(1L);
    assertThat(view.main()).contains(result());
    assertThat(view.adoptions()).isEqualTo(1);
  }

  @Test
  void itHoldsSecretsAndIsClosedToOthers() throws Exception {
    write();
    assertThat(Files.getPosixFilePermissions(directory.resolve(Journal.FILE)))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void cutAnywhereItReadsAsSomeEarlierMomentAndGoesOn() throws Exception {
    write();
    byte[] whole = Files.readAllBytes(directory.resolve(Journal.FILE));
    for (int length = 0; length <= whole.length; length += 7) {
      Files.write(directory.resolve(Journal.FILE), java.util.Arrays.copyOf(whole, length));
      Optional<JournalView> before = JournalView.read(directory);
      try (Journal journal = new Journal(directory)) {
        journal.append(new JournalEntry.Adopted(7));
      }
      Optional<JournalView> after = JournalView.read(directory);
      assertThat(after.map(JournalView::history)).isEqualTo(before.map(JournalView::history));
      assertThat(after.map(JournalView::adoptions))
          .isEqualTo(before.map(view -> view.adoptions() + 1));
    }
  }

  @Test
  void anInterruptDoesNotCloseIt() throws Exception {
    try (Journal journal = new Journal(directory)) {
      journal.append(new JournalEntry.Placed(placement()));
      Thread.currentThread().interrupt();
      journal.append(new JournalEntry.Changed(change(SandboxState.PREPARING)));
      assertThat(Thread.interrupted()).isTrue();
      journal.append(new JournalEntry.Adopted(1));
    }
    assertThat(JournalView.read(directory).orElseThrow().adoptions()).isEqualTo(1);
  }

  @Test
  void anInitIsToldFromALaterProcessWithItsPid() {
    String stat = "4711 (a (b) c) S 1 4711 4711 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 812345 3 4";
    assertThat(new InitProcess(4711, 812345).matches(stat)).isTrue();
    assertThat(new InitProcess(4711, 812346).matches(stat)).isFalse();
    assertThat(new InitProcess(4711, 812345).matches(stat.replace(") S ", ") Z "))).isFalse();
  }

  @Test
  void onlyAllowedChangesHappenAndEachIsOnRecordFirst() throws Exception {
    Journal journal = new Journal(directory);
    int[] told = {0};
    Life life =
        new Life(
            journal,
            List.of(change(SandboxState.PREPARING)),
            (before, change) -> {
              assertThat(before.mayBecome(change.state())).isTrue();
              told[0]++;
              try {
                assertThat(JournalView.read(directory).orElseThrow().last()).isEqualTo(change);
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            },
            () -> {});
    life.begin(placement());
    for (SandboxState next : SandboxState.values()) {
      SandboxState now = life.state();
      assertThat(life.become(change(next))).isEqualTo(now.mayBecome(next));
    }
    assertThat(life.state()).isEqualTo(SandboxState.GONE);
    assertThat(told[0]).isEqualTo(life.history().size() - 1);
    journal.close();
  }
}
