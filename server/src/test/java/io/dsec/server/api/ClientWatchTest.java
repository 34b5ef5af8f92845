// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dsec.server.time.Timer;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import java.io.ByteArrayInputStream;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientWatchTest {
  private final Timer timer = new Timer();
  private final LinkedBlockingQueue<Supplier<byte[]>> wire = new LinkedBlockingQueue<>();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger gone = new AtomicInteger();
  private final ClientWatch client = new ClientWatch(DataReader.create(() -> null), this::read);

  private int read(BufferData buffer) {
    reads.incrementAndGet();
    try {
      byte[] bytes = wire.take().get();
      if (bytes == null) {
        return -1;
      }
      return buffer.readFrom(new ByteArrayInputStream(bytes));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] timeout() {
    throw new UncheckedIOException(new SocketTimeoutException());
  }

  private static byte[] reset() {
    throw new UncheckedIOException(new SocketException("reset"));
  }

  @AfterEach
  void stop() {
    timer.close();
  }

  private ClientWatch.Watch watch() {
    ClientWatch.Watch watch = client.watch(timer, gone::incrementAndGet);
    watch.begin();
    return watch;
  }

  @Test
  void silenceIsNoLeaving() {
    try (ClientWatch.Watch _ = watch()) {
      wire.add(ClientWatchTest::timeout);
      wire.add(ClientWatchTest::timeout);
      await().until(() -> reads.get() == 3);
      assertThat(gone).hasValue(0);
      wire.add(() -> new byte[] {7});
      assertThat(client.get()).containsExactly(7);
      assertThat(gone).hasValue(0);
    }
    wire.add(() -> new byte[] {8});
    assertThat(client.get()).containsExactly(8);
  }

  @Test
  void aTimeoutThatTheWatchFindsIsNotTheNextReaders() {
    ClientWatch.Watch watch = watch();
    await().until(() -> reads.get() == 1);
    watch.close();
    wire.add(ClientWatchTest::timeout);
    wire.add(() -> new byte[] {1});
    assertThat(client.get()).containsExactly(1);
    wire.add(ClientWatchTest::timeout);
    assertThatThrownBy(client::get).matches(e -> ClientWatch.timedOut((RuntimeException) e));
  }

  @Test
  void anEndAndABreakAreToldOnceAndToTheNextReader() {
    try (ClientWatch.Watch _ = watch()) {
      wire.add(ClientWatchTest::reset);
      await().until(() -> gone.get() == 1);
      assertThatThrownBy(client::get).hasRootCauseInstanceOf(SocketException.class);
    }
    try (ClientWatch.Watch _ = watch()) {
      wire.add(() -> null);
      await().until(() -> gone.get() == 2);
      assertThat(client.get()).isNull();
    }
  }

  @Test
  void oneThatIsOverTellsNobody() {
    ClientWatch.Watch watch = watch();
    await().until(() -> reads.get() == 1);
    watch.close();
    wire.add(() -> null);
    assertThat(client.get()).isNull();
    assertThat(gone).hasValue(0);
  }

  @Test
  void aLongBodyIsReadInPiecesThatGrow() {
    List<Integer> sizes = new ArrayList<>();
    ClientWatch busy =
        new ClientWatch(
            DataReader.create(() -> null),
            buffer -> {
              int count = buffer.readFrom(new ByteArrayInputStream(new byte[1 << 20]));
              sizes.add(count);
              return count;
            });
    for (int i = 0; i < 6; i++) {
      assertThat(busy.get()).hasSize(sizes.getLast());
    }
    assertThat(sizes).containsExactly(8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 128 << 10);
  }

  @Test
  void whatToldTheProtocolComesFirst() {
    ArrayDeque<byte[]> begun = new ArrayDeque<>(List.of(new byte[] {1, 2}));
    DataReader reader = DataReader.create(begun::poll);
    reader.ensureAvailable();
    ClientWatch after = new ClientWatch(reader, this::read);
    assertThat(after.get()).containsExactly(1, 2);
    wire.add(() -> new byte[] {3});
    assertThat(after.get()).containsExactly(3);
  }
}
