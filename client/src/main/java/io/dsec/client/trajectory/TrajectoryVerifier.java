// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import io.dsec.model.DsecException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the promises of a trajectory: each line is an event of one sandbox, {@code seq} counts
 * from 1 without gap or repeat, {@code t} never goes back, each exec starts once and ends once, and
 * the bytes of each stream follow one another. What a {@code record.gap} tells is no fault. Use one
 * for one trajectory.
 */
public final class TrajectoryVerifier {
  private static final int KEPT = 100;

  private final List<Verification.Problem> problems = new ArrayList<>();
  private final Map<String, Long> streams = new HashMap<>();
  private final Set<String> running = new HashSet<>();
  private final Set<String> ended = new HashSet<>();
  private long line;
  private long events;
  private long gaps;
  private long faults;
  private long seq;
  private long t;
  private String sandbox = "";
  private boolean gone;

  /** Events of any kind may be missing from here on. */
  private boolean lossy;

  public Verification verify(Iterator<String> lines) {
    while (lines.hasNext()) {
      line++;
      accept(lines.next());
    }
    if (gone && !lossy) {
      running.forEach(exec -> fault("exec %s never ended".formatted(exec)));
    }
    return new Verification(events, gaps, problems, faults);
  }

  private void accept(String text) {
    TrajectoryEvent event;
    try {
      event = TrajectoryEvent.parse(text);
    } catch (DsecException e) {
      fault(e.message());
      return;
    }
    events++;
    order(event);
    switch (event.kind()) {
      case "exec.start" -> start(event.exec());
      case "exec.end" -> end(event.exec());
      case "exec.stdin", "exec.stdout", "exec.stderr" -> bytes(event);
      case "record.gap" -> gap(event);
      case "sandbox.gone" -> gone = true;
      default -> {}
    }
  }

  private void order(TrajectoryEvent event) {
    if (event.v() != 1) {
      fault("version %d is not known".formatted(event.v()));
    }
    if (event.seq() != seq + 1) {
      fault("seq is %d after %d".formatted(event.seq(), seq));
    }
    seq = event.seq();
    if (event.t() < t) {
      fault("t goes back from %d to %d".formatted(t, event.t()));
    }
    t = Math.max(t, event.t());
    if (sandbox.isEmpty()) {
      sandbox = event.sandbox();
    } else if (!sandbox.equals(event.sandbox())) {
      fault("sandbox is %s in a trajectory of %s".formatted(event.sandbox(), sandbox));
    }
  }

  private void start(String exec) {
    if (!running.add(exec) || ended.contains(exec)) {
      fault("exec %s starts a second time".formatted(exec));
    }
  }

  private void end(String exec) {
    if (!running.remove(exec) && !lossy) {
      fault("exec %s ends but is not running".formatted(exec));
    }
    ended.add(exec);
  }

  private void bytes(TrajectoryEvent event) {
    String exec = event.exec();
    if (!running.contains(exec) && !lossy) {
      fault("%s of exec %s, which is not running".formatted(event.kind(), exec));
    }
    long length = event.data().path("bytes").asLong(-1);
    boolean masked = event.data().has("masked");
    if (length < 0 || (!masked && length != event.bytes().length())) {
      fault("%s says %d bytes and has %d".formatted(event.kind(), length, event.bytes().length()));
    }
    follows(event, event.kind() + " of exec " + exec, length);
  }

  private void gap(TrajectoryEvent event) {
    gaps++;
    String stream = event.data().path("stream").asString("");
    if (stream.isEmpty()) {
      lossy = true;
    } else {
      String name = "exec.%s of exec %s".formatted(stream, event.exec());
      follows(event, name, event.data().path("bytes").asLong(0));
    }
  }

  private void follows(TrajectoryEvent event, String stream, long length) {
    long offset = event.data().path("offset").asLong(-1);
    long expected = streams.getOrDefault(stream, 0L);
    if (offset != expected) {
      fault("%s goes on at byte %d after byte %d".formatted(stream, offset, expected));
    }
    streams.put(stream, offset + Math.max(0, length));
  }

  private void fault(String message) {
    faults++;
    if (problems.size() < KEPT) {
      problems.add(new Verification.Problem(line, message));
    }
  }
}
