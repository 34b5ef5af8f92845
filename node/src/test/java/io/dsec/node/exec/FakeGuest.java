// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.Bytes;
import io.dsec.node.channel.GuestLink;
import io.dsec.node.record.Recorder;
import io.dsec.node.time.Timers;
import io.dsec.proto.guest.ToGuest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** What an {@link ExecTable} sees of the world: a link that notes, time that a test moves. */
public final class FakeGuest implements GuestLink, Timers {
  public final List<ToGuest> sent = new CopyOnWriteArrayList<>();
  final List<String> events = new CopyOnWriteArrayList<>();
  final List<Long> killed = new CopyOnWriteArrayList<>();
  public final List<Runnable> due = new CopyOnWriteArrayList<>();
  public volatile long now;
  long connection = 1;
  Runnable onFlush = () -> {};

  public ExecTable table(Path directory) {
    return new ExecTable(
        new ExecContext(
            this,
            recorder(),
            directory,
            new SpoolBudget(directory, SpoolBudget.SHARE),
            new ExecDefaults(Map.of(), "agent", ""),
            this,
            Clock.systemUTC(),
            killed::add,
            () -> 0),
        1);
  }

  private Recorder recorder() {
    return new Recorder() {
      @Override
      public long event(String kind, Map<String, ?> data) {
        events.add(kind);
        return events.size();
      }

      @Override
      public long bytes(String kind, String exec, long offset, ByteBuffer data) {
        byte[] copy = new byte[data.remaining()];
        data.duplicate().get(copy);
        events.add(kind + "@" + offset + ":" + Bytes.wrap(copy).lossyText());
        return events.size();
      }

      @Override
      public void finished(String exec) {}

      @Override
      public void close() {}
    };
  }

  @Override
  public long send(ToGuest message) {
    sent.add(message);
    return connection;
  }

  @Override
  public long post(ToGuest message) {
    return send(message);
  }

  @Override
  public void flush() {
    onFlush.run();
  }

  @Override
  public long generation() {
    return connection;
  }

  @Override
  public Handle after(Duration delay, Runnable task) {
    due.add(task);
    return () -> due.remove(task);
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public void pause(Duration time) {}
}
