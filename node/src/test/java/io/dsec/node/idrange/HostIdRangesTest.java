// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.idrange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HostIdRangesTest {
  private static final int BASE = 0x1000_0000;
  private static final long BLOCK = 4L * IdRanges.SIZE;

  private final Random random = new Random(3);
  @TempDir private Path directory;
  private IdRangeConfig config;
  private Path first;
  private Path second;

  @BeforeEach
  void threeBlocksOfFour() throws Exception {
    config = new IdRangeConfig(directory.resolve("claims"), BASE, BASE + 3 * BLOCK, 4);
    first = Files.createDirectory(directory.resolve("node-1"));
    second = Files.createDirectory(directory.resolve("node-2"));
  }

  @Test
  void twoNodesNeverShareARange() {
    IdRanges one = new HostIdRanges(config, first);
    IdRanges two = new HostIdRanges(config, second);
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      assertThat(given.add(one.acquire(id()))).isTrue();
      assertThat(given.add(two.acquire(id()))).isTrue();
    }
    assertThat(given).allMatch(base -> base >= BASE && base % IdRanges.SIZE == 0);
  }

  @Test
  void aSandboxKeepsItsRange() {
    IdRanges ranges = new HostIdRanges(config, first);
    SandboxId id = id();
    int base = ranges.acquire(id);
    assertThat(ranges.acquire(id)).isEqualTo(base);
    ranges.release(id);
    ranges.release(id);
    assertThat(ranges.acquire(id())).as("a range just given back comes last").isNotEqualTo(base);
  }

  @Test
  void aFullNodeClaimsAnotherBlockUntilNoneIsLeft() {
    IdRanges ranges = new HostIdRanges(config, first);
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      given.add(ranges.acquire(id()));
    }
    assertThat(given).hasSize(12);
    assertThatThrownBy(() -> ranges.acquire(id()))
        .isInstanceOf(DsecException.class)
        .hasMessageContaining("all 3 blocks");
  }

  @Test
  void aRestartedNodeAdoptsItsSandboxes() {
    SandboxId id = id();
    int base = new HostIdRanges(config, first).acquire(id);
    HostIdRanges again = new HostIdRanges(config, first);
    again.adopt(id, base);
    again.adopt(id, base);
    assertThat(again.acquire(id)).isEqualTo(base);
    assertThat(again.acquire(id())).isNotEqualTo(base);
    assertThatThrownBy(() -> again.adopt(id(), base)).hasMessageContaining("taken");
  }

  @Test
  void adoptionWorksAfterTheClaimsWereLost() {
    SandboxId id = id();
    HostIdRanges ranges = new HostIdRanges(config, first);
    ranges.adopt(id, (int) (BASE + 2 * BLOCK));
    assertThat(ranges.acquire(id)).isEqualTo((int) (BASE + 2 * BLOCK));
    assertThatThrownBy(() -> new HostIdRanges(config, second).adopt(id(), (int) (BASE + 2 * BLOCK)))
        .hasMessageContaining("another node");
    assertThatThrownBy(() -> ranges.adopt(id(), 12345))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void claimsOfVanishedNodesAreFreeAgain() throws Exception {
    IdRanges one = new HostIdRanges(config, first);
    int base = one.acquire(id());
    Files.delete(first);
    assertThat(new HostIdRanges(config, second).acquire(id())).isEqualTo(base);
  }

  @Test
  void configurationTellsAllProblems() {
    assertThatThrownBy(() -> new IdRangeConfig(directory, 100, 1L << 40, 0))
        .hasMessageContaining("base")
        .hasMessageContaining("block")
        .hasMessageContaining("end");
  }

  private SandboxId id() {
    return SandboxId.random(random);
  }
}
