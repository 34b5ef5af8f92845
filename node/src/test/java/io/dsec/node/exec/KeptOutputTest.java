// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.OutputCursor;
import io.dsec.model.Bytes;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptOutputTest {
  @TempDir Path directory = Path.of("/");

  /** What should be kept of {@code all}: the plain definition. */
  private static Bytes headAndTail(byte[] all, int max) {
    if (all.length <= max) {
      return Bytes.copyOf(all);
    }
    int tail = max / 2;
    byte[] kept = Arrays.copyOf(all, max);
    System.arraycopy(all, all.length - tail, kept, max - tail, tail);
    return Bytes.wrap(kept);
  }

  private SpoolBudget budget() {
    return new SpoolBudget(directory, SpoolBudget.SHARE);
  }

  @Test
  void outputsBeyondTheShareOfTheirSandboxAreNotKept() {
    SpoolBudget share = new SpoolBudget(directory, 3 << 20);
    KeptOutput first = new KeptOutput(directory.resolve("first"), 2 << 20, 0, share);
    KeptOutput second = new KeptOutput(directory.resolve("second"), 2 << 20, 0, share);
    ByteBuffer data = ByteBuffer.wrap(new byte[2 << 20]);
    first.append(data.duplicate());
    second.append(data.duplicate());
    assertThat(first.kept(2 << 20).length()).isEqualTo(2 << 20);
    assertThat(second.received()).as("it goes on").isEqualTo(2 << 20);
    assertThat(second.kept(2 << 20).length()).isZero();
    assertThat(share.taken()).isEqualTo(2 << 20);
    first.discard();
    assertThat(share.taken()).isZero();
    KeptOutput third = new KeptOutput(directory.resolve("third"), 2 << 20, 0, share);
    third.append(data.duplicate());
    assertThat(third.kept(2 << 20).length()).isEqualTo(2 << 20);
    KeptOutput again = new KeptOutput(directory.resolve("third"), 2 << 20, third.acked(), share);
    assertThat(again.reserved()).as("after a restart").isEqualTo(2 << 20);
  }

  @Test
  void headAndTailOfAnyStreamAreKeptThroughAnyCrash() {
    long seed = Long.getLong("dsec.seed", System.nanoTime());
    System.out.println("KeptOutputTest: replay with -Ddsec.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      int max = random.nextInt(4) == 0 ? random.nextInt(64) : random.nextInt(300_000);
      byte[] all = new byte[random.nextInt(600_000)];
      random.nextBytes(all);
      Path spool = directory.resolve("r" + round);
      KeptOutput kept = new KeptOutput(spool, max, 0, budget());
      while (kept.received() < all.length) {
        int at = (int) kept.received();
        int n = Math.min(all.length - at, 1 + random.nextInt(random.nextBoolean() ? 100 : 200_000));
        kept.append(ByteBuffer.wrap(all, at, n));
        if (random.nextInt(10) == 0) {
          // the node dies: init sends again from where it was told to
          kept = new KeptOutput(spool, max, kept.acked(), budget());
        }
      }
      assertThat(kept.kept(kept.received())).as("round %d", round).isEqualTo(headAndTail(all, max));
      kept.discard();
      assertThat(Files.exists(spool)).isFalse();
    }
  }

  private static void disturb(Thread reader) {
    for (int i = 0; i < 500; i++) {
      reader.interrupt();
      while (reader.isInterrupted()) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void anInterruptOfOneReaderLosesNothing() {
    KeptOutput kept = new KeptOutput(directory.resolve("read"), 1 << 20, 0, budget());
    byte[] all = new byte[800_000];
    new Random(2).nextBytes(all);
    kept.append(ByteBuffer.wrap(all));
    OutputCursor.Piece expected =
        new OutputCursor.Piece(0, Bytes.wrap(Arrays.copyOf(all, 400_000)));
    Thread reader = Thread.currentThread();
    Thread disturber = Thread.ofPlatform().start(() -> disturb(reader));
    int heard = 0;
    while (disturber.isAlive()) {
      assertThat(kept.read(0, 400_000)).isEqualTo(expected);
      heard += Thread.interrupted() ? 1 : 0;
    }
    assertThat(heard).as("none is swallowed for good").isPositive();
    boolean _ = Thread.interrupted();
    assertThat(kept.kept(all.length)).isEqualTo(Bytes.wrap(all));
  }

  @Test
  void shortOutputNeedsNoFileAndIsNotAcknowledged() {
    KeptOutput kept = new KeptOutput(directory.resolve("short"), 1 << 20, 0, budget());
    kept.append(ByteBuffer.wrap(new byte[KeptOutput.IN_MEMORY]));
    assertThat(kept.acked()).isZero();
    assertThat(Files.exists(directory.resolve("short"))).isFalse();
  }

  @Test
  void aDiskThatRefusesDoesNotStopTheStream() {
    KeptOutput kept = new KeptOutput(directory.resolve("no/such/directory"), 1 << 20, 0, budget());
    for (int i = 0; i < 10; i++) {
      kept.append(ByteBuffer.wrap(new byte[50_000]));
    }
    assertThat(kept.received()).isEqualTo(500_000);
    assertThat(kept.kept(kept.received()).length()).isLessThan(500_000);
  }

  @Test
  void whatWasLeftIsReadBack() {
    byte[] all = new byte[200_000];
    new Random(1).nextBytes(all);
    KeptOutput kept = new KeptOutput(directory.resolve("left"), 100_000, 0, budget());
    kept.append(ByteBuffer.wrap(all));
    kept.leave();
    assertThat(KeptOutput.read(directory.resolve("left"), 100_000, all.length))
        .isEqualTo(headAndTail(all, 100_000));
  }
}
