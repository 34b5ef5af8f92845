// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.node.cgroup.Cgroups;
import io.dsec.node.exec.FakeGuest;
import io.dsec.node.metrics.NodeMetrics;
import io.dsec.proto.guest.ToGuest;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In which order kernel, journal and init are told, also when one of them fails. */
class PausesTest {
  private static final Instant NOW = Instant.parse("2026-11-29T10:00:00Z");

  @TempDir Path directory = Path.of("/");

  private final FakeGuest guest = new FakeGuest();
  private final List<String> did = new ArrayList<>();
  private boolean freezes = true;
  private Runnable onFreeze = () -> {};
  private Life life;
  private Pauses pauses;

  @BeforeEach
  void running() {
    life = life(SandboxState.RUNNING);
    pauses = pauses(life);
  }

  private Life life(SandboxState state) {
    return new Life(
        new Journal(directory),
        List.of(new StateChange(state, Reason.REQUESTED, "", NOW)),
        (_, change) -> did.add(change.state().name()),
        () -> {});
  }

  private Pauses pauses(Life of) {
    Parts parts = new Parts();
    parts.execs = guest.table(directory);
    return new Pauses(JournalTest.placement().id(), support(), parts, of);
  }

  private void become(SandboxState state) {
    assertThat(life.become(new StateChange(state, Reason.REQUESTED, "", NOW))).isTrue();
  }

  /** With what pausing uses, and nothing else. */
  @SuppressWarnings("NullAway")
  private SandboxSupport support() {
    return new SandboxSupport(
        "node",
        1,
        directory,
        directory,
        cgroups(),
        null,
        null,
        null,
        null,
        null,
        null,
        guest,
        Clock.systemUTC(),
        new NodeMetrics(new PrometheusRegistry()),
        null,
        null,
        null);
  }

  private Cgroups cgroups() {
    return (Cgroups)
        Proxy.newProxyInstance(
            Cgroups.class.getClassLoader(),
            new Class<?>[] {Cgroups.class},
            (_, method, _) -> {
              did.add(method.getName());
              if (method.getName().equals("freeze")) {
                onFreeze.run();
                return freezes;
              }
              return null;
            });
  }

  /** What init was told. */
  private List<Boolean> held() {
    return guest.sent.stream().filter(ToGuest::hasHold).map(m -> m.getHold().getOn()).toList();
  }

  @Test
  void theKernelActsBeforeTheJournalTells() {
    pauses.pause();
    pauses.pause();
    assertThat(did).containsExactly("freeze", "PAUSED");
    assertThat(held()).containsExactly(true);
    assertThat(guest.due).as("memory is taken back later").hasSize(1);
    pauses.resume(Reason.WOKEN);
    pauses.resume(Reason.WOKEN);
    assertThat(did).containsExactly("freeze", "PAUSED", "thaw", "RUNNING");
    assertThat(held()).containsExactly(true, false);
    assertThat(guest.due).isEmpty();
  }

  @Test
  void whatCannotBeFrozenRunsOn() {
    freezes = false;
    assertThatThrownBy(pauses::pause)
        .isInstanceOfSatisfying(
            DsecException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
    assertThat(did).containsExactly("freeze", "thaw");
    assertThat(held()).containsExactly(true, false);
    assertThat(life.state()).isEqualTo(SandboxState.RUNNING);
  }

  @Test
  void whatEndsWhileItIsFrozenIsThawed() {
    onFreeze = () -> become(SandboxState.STOPPING);
    pauses.pause();
    assertThat(did).containsExactly("freeze", "STOPPING", "thaw");
    assertThat(held()).containsExactly(true, false);
  }

  @Test
  void whatStoodStillGoesOnWhateverHappened() {
    assertThatThrownBy(
            () ->
                pauses.still(
                    () -> {
                      did.add("work");
                      throw new IllegalStateException("no luck");
                    }))
        .hasMessage("no luck");
    assertThat(did).containsExactly("freeze", "work", "thaw");
    assertThat(life.state()).isEqualTo(SandboxState.RUNNING);
  }

  @Test
  void whatTheJournalSaysIsMadeTrue() {
    pauses.adopted();
    pauses(life(SandboxState.PAUSED)).adopted();
    assertThat(did).containsExactly("thaw", "freeze");
    assertThat(held()).containsExactly(false, true);
  }
}
