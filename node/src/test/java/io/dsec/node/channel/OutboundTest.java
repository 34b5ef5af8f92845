// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.proto.guest.Ping;
import io.dsec.proto.guest.ToGuest;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Which thread writes, and when. */
class OutboundTest {
  private final List<Thread> writers = new CopyOnWriteArrayList<>();
  private final Outbound outbound = new Outbound(new Sink(), () -> {});

  private final class Sink implements WritableByteChannel {
    @Override
    public int write(ByteBuffer bytes) {
      int count = bytes.remaining();
      bytes.position(bytes.limit());
      writers.add(Thread.currentThread());
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  private static ToGuest ping(int token) {
    return ToGuest.newBuilder().setPing(Ping.newBuilder().setToken(token)).build();
  }

  private Thread lastAfterOneMore(int token) {
    outbound.post(ping(token));
    outbound.flush();
    return writers.getLast();
  }

  @Test
  void whatIsPostedWaitsAndIsWrittenByWhoFlushes() {
    outbound.post(ping(1));
    outbound.post(ping(2));
    assertThat(writers).isEmpty();
    outbound.flush();
    assertThat(writers).containsExactly(Thread.currentThread());
  }

  @Test
  void whatIsSentTakesWhatWasPostedAlong() {
    outbound.post(ping(1));
    outbound.send(ping(2));
    await().until(() -> writers.size() == 1);
    assertThat(writers).doesNotContain(Thread.currentThread());
  }

  @Test
  void aFewPostedOnesAreWrittenUnasked() {
    for (int i = 0; i < 8; i++) {
      outbound.post(ping(i));
    }
    await().until(() -> writers.size() == 1);
  }

  @Test
  void noCallerWritesToAGuestThatIsNeverHeard() {
    Thread caller = Thread.currentThread();
    for (int i = 0; i < 64; i++) {
      assertThat(lastAfterOneMore(i)).isEqualTo(caller);
    }
    outbound.post(ping(64));
    outbound.flush();
    await().until(() -> writers.size() == 65);
    assertThat(writers.getLast()).isNotEqualTo(caller);
    await()
        .until(
            () -> {
              outbound.heard();
              return lastAfterOneMore(65).equals(Thread.currentThread());
            });
  }
}
