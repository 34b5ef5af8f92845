// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every value of the contract comes back equal from its JSON form. */
class WireFormTest {
  private static final SandboxId ID = new SandboxId("sb-abcdefgh23456722");
  private static final Instant NOW = Instant.parse("2026-11-29T20:55:04.123456789Z");

  static List<Object> values() {
    return List.of(placement(), placed(), report(), info(), heartbeat());
  }

  @ParameterizedTest
  @MethodSource("values")
  void roundTrip(Object value) {
    String json = Json.mapper().writeValueAsString(value);
    assertThat(Json.mapper().readValue(json, value.getClass())).isEqualTo(value);
  }

  static List<Ending> endings() {
    return List.of(
        new Ending.Exited(137),
        new Ending.Signaled(9),
        new Ending.Timeout(),
        new Ending.Oom(),
        new Ending.Killed(Reason.RECLAIMED),
        new Ending.Lost(Reason.NODE_LOST),
        new Ending.NotStarted(Reason.BAD_CWD, "no directory /nope"));
  }

  @ParameterizedTest
  @MethodSource("endings")
  void endingsRoundTrip(Ending ending) {
    String json = Json.mapper().writeValueAsString(ending);
    assertThat(Json.mapper().readValue(json, Ending.class)).isEqualTo(ending);
    assertThat(json).contains("\"is_fault\":" + ending.isFault());
  }

  @Test
  void namesAreSnakeCaseAndEnumsLower() {
    assertThat(Json.mapper().writeValueAsString(placement()))
        .contains(
            "\"expires_at\"",
            "\"tier\":\"container\"",
            "\"max_output\"",
            "\"disk_medium\":\"disk\"")
        .contains("\"ttl\":1800.0");
  }

  @Test
  void unknownFieldsAreRefusedByName() {
    assertThatThrownBy(
            () -> Json.mapper().readValue("{\"cpu\":1,\"memory\":2,\"ram\":3}", Guarantee.class))
        .hasMessageContaining("ram");
  }

  @Test
  void absurdDurationsAreRefusedNotExpanded() {
    assertThatThrownBy(() -> Json.mapper().readValue("1e999999999", Duration.class))
        .hasMessageContaining("no sensible number");
  }

  private static Placement placement() {
    ExecSpec exec =
        ExecSpec.program(List.of("sh", "-c", "true"))
            .cwd(Optional.of("/workspace"))
            .env(Map.of("A", "1"))
            .user(Optional.of("root"))
            .stdin(Optional.of(Bytes.copyOf(new byte[] {0, (byte) 0xff, 10})))
            .timeout(Optional.of(Duration.ofMillis(1500)))
            .maxOutput(1024)
            .done();
    SandboxSpec spec =
        new SandboxSpec(
            "host",
            Isolation.AUTO,
            Resources.DEFAULT,
            new Guarantee(0.1, 64 << 20),
            Map.of("K", "v"),
            Map.of("TOKEN", "t"),
            Optional.of("agent"),
            Optional.empty(),
            Duration.ofMinutes(30),
            Priority.BATCH,
            Map.of("run", "r1"),
            Optional.empty(),
            RecordMode.ON,
            Optional.of(
                new MainCommand(
                    exec, List.of(new FileSpec("/workspace/a", Bytes.utf8("x"), 0755)))));
    return new Placement(ID, 7, "default", spec, Tier.CONTAINER, 2, NOW);
  }

  private static Placed placed() {
    return new Placed(
        "n1", Tier.CONTAINER, "host", NOW, Duration.ofMillis(2), Duration.ofMillis(3));
  }

  private static SandboxReport report() {
    return new SandboxReport(
        ID,
        "n1",
        3,
        List.of(new StateChange(SandboxState.RUNNING, Reason.REQUESTED, "", NOW)),
        1,
        NOW,
        Optional.of(
            new ExecResult(
                "e-1",
                new Ending.Exited(1),
                Set.of(Limit.DISK),
                Bytes.utf8("out"),
                Bytes.EMPTY,
                3,
                0,
                Duration.ofMillis(12),
                4,
                9)));
  }

  private static NodeInfo info() {
    return new NodeInfo(
        "n1",
        3,
        List.of(Tier.CONTAINER),
        Map.of(Tier.GVISOR, "no runsc on PATH"),
        new Guarantee(2, 1 << 30),
        "btrfs");
  }

  private static Heartbeat heartbeat() {
    return new Heartbeat("n1", 3, NOW, 12, new Guarantee(1.5, 1 << 29));
  }
}
