// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Guarantee;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.server.queue.WaitingLine;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.store.ClaimTable;
import io.dsec.server.store.Writes;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Accepts sandboxes: stores them, then puts them into the line. */
public final class Intake {
  private final Catalog catalog;
  private final WaitingLine<Sandbox> line;
  private final NodeDirectory nodes;
  private final Writes writes;
  private final Clock clock;

  public Intake(
      Catalog catalog, WaitingLine<Sandbox> line, NodeDirectory nodes, Writes writes, Clock clock) {
    this.catalog = catalog;
    this.line = line;
    this.nodes = nodes;
    this.writes = writes;
    this.clock = clock;
  }

  /** Comes back once it is stored; it then waits for a node. */
  public Accepted accept(NewSandbox asked) {
    checkFits(asked.spec().guaranteed());
    line.checkRoom();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    SandboxRecord record = record(asked, now);
    Sandbox sandbox = new Sandbox(record, asked.spec());
    catalog.add(sandbox);
    try {
      Optional<String> before = writes.call(h -> store(h, asked, record, now));
      if (before.isPresent()) {
        catalog.drop(sandbox);
        return new Accepted.Before(before.get());
      }
    } catch (RuntimeException e) {
      catalog.drop(sandbox);
      throw e;
    }
    line.add(sandbox.priority(), sandbox.tenant(), sandbox);
    return new Accepted.Created(sandbox);
  }

  /** {@code quota_exceeded} for what no node could hold even when empty. */
  public void checkFits(Guarantee demand) {
    List<Member> members = nodes.members();
    boolean fits =
        members.stream()
            .map(m -> m.info().capacity())
            .anyMatch(c -> demand.cpu() <= c.cpu() + 1e-6 && demand.memory() <= c.memory());
    if (!fits && !members.isEmpty()) {
      throw DsecException.of(
              ErrorCode.QUOTA_EXCEEDED,
              String.format(
                  Locale.ROOT,
                  "%.2f CPU and %d MiB of guaranteed memory fit on no node, even an empty one",
                  demand.cpu(),
                  demand.memory() >> 20))
          .withField("guaranteed")
          .withHint("lower resources, or set guaranteed below them");
    }
  }

  private static Optional<String> store(
      Handle h, NewSandbox asked, SandboxRecord record, Instant now) {
    if (asked.identity().isPresent()) {
      NewSandbox.Identity identity = asked.identity().get();
      Optional<String> before = ClaimTable.take(h, identity.claim(), identity.target(), now);
      if (before.isPresent() && !(identity.whileLive() && ended(h, before.get()))) {
        return before;
      }
      ClaimTable.put(h, identity.claim(), identity.target(), now);
    }
    SandboxTable.insert(h, record, asked.request().orElse(null));
    asked.alongside().accept(h);
    return Optional.empty();
  }

  private static boolean ended(Handle h, String sandbox) {
    return h.createQuery("SELECT 1 FROM sandboxes WHERE id = ? AND ended_at IS NULL")
        .bind(0, sandbox)
        .mapTo(Integer.class)
        .findOne()
        .isEmpty();
  }

  private static SandboxRecord record(NewSandbox asked, Instant now) {
    return new SandboxRecord(
        asked.id(),
        asked.tenant(),
        asked.owner().toString(),
        asked.attempt(),
        asked.spec().priority(),
        asked.spec().image(),
        null,
        asked.spec().resources(),
        asked.spec().guaranteed(),
        asked.spec().labels(),
        null,
        asked.tier(),
        now,
        null,
        null,
        null,
        Timings.NONE,
        List.of(new StateChange(SandboxState.QUEUED, Reason.REQUESTED, "", now)));
  }
}
