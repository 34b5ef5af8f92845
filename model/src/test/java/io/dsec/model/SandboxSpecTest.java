// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SandboxSpecTest {
  @Test
  void guaranteesNeverPassTheCeilings() {
    assertField(
        "guaranteed",
        () -> spec("host", new Guarantee(2, 0), Duration.ofMinutes(30), Map.of(), Map.of()));
  }

  @Test
  void badNamesAreRefusedByField() {
    assertField("image", () -> spec(" ", none(), Duration.ofMinutes(30), Map.of(), Map.of()));
    assertField("ttl", () -> spec("host", none(), Duration.ofMinutes(-1), Map.of(), Map.of()));
    assertField(
        "env", () -> spec("host", none(), Duration.ofMinutes(1), Map.of("A=B", "x"), Map.of()));
    assertField(
        "env", () -> spec("host", none(), Duration.ofMinutes(1), Map.of("A", "x\0y"), Map.of()));
    assertField(
        "labels", () -> spec("host", none(), Duration.ofMinutes(1), Map.of(), Map.of("a b", "x")));
  }

  @Test
  void ceilingsHaveBounds() {
    assertField(
        "resources.memory", () -> new Resources(1, 1, 1 << 20, 1, 0, Resources.DiskMedium.DISK, 0));
    assertField(
        "resources.cpu",
        () -> new Resources(Double.NaN, 1 << 30, 1 << 20, 1, 0, Resources.DiskMedium.DISK, 0));
    assertField(
        "resources.pids",
        () -> new Resources(1, 1 << 30, 1 << 20, 0, 0, Resources.DiskMedium.DISK, 0));
  }

  @Test
  void shmIsHalfTheMemoryUnlessAsked() {
    assertThat(Resources.DEFAULT.shmBytes()).isEqualTo(256L << 20);
  }

  private static Guarantee none() {
    return new Guarantee(0, 0);
  }

  private static SandboxSpec spec(
      String image,
      Guarantee guarantee,
      Duration ttl,
      Map<String, String> env,
      Map<String, String> labels) {
    return new SandboxSpec(
        image,
        Isolation.AUTO,
        Resources.DEFAULT,
        guarantee,
        env,
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        ttl,
        Priority.ONLINE,
        labels,
        Optional.empty(),
        RecordMode.ON,
        Optional.empty());
  }

  private static void assertField(
      String field, org.assertj.core.api.ThrowableAssert.ThrowingCallable make) {
    assertThatThrownBy(make)
        .isInstanceOfSatisfying(DsecException.class, e -> assertThat(e.field()).contains(field));
  }
}
