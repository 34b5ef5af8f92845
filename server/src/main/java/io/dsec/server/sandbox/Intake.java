// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.Fork;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Guarantee;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.server.queue.WaitingLine;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.store.Claim;
import io.dsec.server.store.ClaimTable;
import io.dsec.server.store.Writes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Accepts sandboxes: stores them and puts them into the line. */
public final class Intake {
  private final Catalog catalog;
  private final WaitingLine<Sandbox> line;
  private final NodeDirectory nodes;
  private final Writes writes;
  private final Removals removals;
  private final Clock clock;

  public Intake(
      Catalog catalog,
      WaitingLine<Sandbox> line,
      NodeDirectory nodes,
      Writes writes,
      Removals removals,
      Clock clock) {
    this.catalog = catalog;
    this.line = line;
    this.nodes = nodes;
    this.writes = writes;
    this.removals = removals;
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
    return asked.identity().isEmpty()
        ? startMeanwhile(asked, sandbox, now)
        : startAfter(asked, sandbox, now);
  }

  /**
   * Nothing can stand against it, so its start need not wait for the commit; whatever is written
   * about it commits later. After a crash in between the node has a sandbox that the server does
   * not know, and {@link Settlement} removes it; the caller was told nothing.
   */
  private Accepted startMeanwhile(NewSandbox asked, Sandbox sandbox, Instant now) {
    SandboxRecord record = sandbox.record();
    Writes.Given<Optional<String>> stored;
    try {
      stored = writes.give(h -> store(h, asked, record, now));
    } catch (RuntimeException e) {
      catalog.drop(sandbox);
      throw e;
    }
    line.add(sandbox.priority(), sandbox.tenant(), sandbox);
    try {
      Optional<String> _ = stored.await();
      return new Accepted.Created(sandbox);
    } catch (RuntimeException e) {
      removals.begin(sandbox, Duration.ZERO, Reason.CANCELLED);
      throw e;
    }
  }

  private Accepted startAfter(NewSandbox asked, Sandbox sandbox, Instant now) {
    try {
      Optional<String> before = writes.call(h -> store(h, asked, sandbox.record(), now));
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

  /**
   * Comes back once all are stored, in one commit. Forks are then the caller's to start; others
   * wait for a node.
   */
  public AcceptedMany acceptMany(List<NewSandbox> asked, Optional<Claim> identity) {
    checkFits(asked.getFirst().spec().guaranteed());
    line.checkRoom();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    List<Sandbox> made = new ArrayList<>();
    for (NewSandbox each : asked) {
      made.add(new Sandbox(record(each, now), each.spec(), each.fork().orElse(null)));
    }
    made.forEach(catalog::add);
    Optional<String> before = Optional.empty();
    boolean stored = false;
    try {
      before = writes.call(h -> storeMany(h, asked, made, identity, now));
      stored = before.isEmpty();
    } finally {
      if (!stored) {
        made.forEach(catalog::drop);
      }
    }
    if (before.isPresent()) {
      return new AcceptedMany.Before(List.of(before.get().split(" ", -1)));
    }
    for (Sandbox sandbox : made) {
      if (sandbox.fork().isEmpty()) {
        line.add(sandbox.priority(), sandbox.tenant(), sandbox);
      }
    }
    return new AcceptedMany.Created(made);
  }

  private static Optional<String> storeMany(
      Handle h, List<NewSandbox> asked, List<Sandbox> made, Optional<Claim> identity, Instant now) {
    if (identity.isPresent()) {
      String ids = asked.stream().map(each -> each.id().value()).collect(Collectors.joining(" "));
      Optional<String> before = ClaimTable.take(h, identity.get(), ids, now);
      if (before.isPresent()) {
        return before;
      }
    }
    for (int i = 0; i < asked.size(); i++) {
      SandboxTable.insert(h, made.get(i).record(), asked.get(i).request().orElse(null));
    }
    return Optional.empty();
  }

  /** What the same request led to before. */
  Optional<List<String>> before(Claim identity) {
    return writes.call(h -> ClaimTable.find(h, identity)).map(ids -> List.of(ids.split(" ", -1)));
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
        asked.fork().map(Fork::parent).orElse(null),
        null,
        asked.tier(),
        now,
        null,
        null,
        null,
        Timings.NONE,
        List.of(new StateChange(SandboxState.QUEUED, Reason.REQUESTED, "", now)),
        null);
  }
}
