// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.ExecListener;
import io.dsec.link.Placed;
import io.dsec.link.Placement;
import io.dsec.link.SandboxFiles;
import io.dsec.link.SandboxReport;
import io.dsec.model.DsecException;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Guarantee;
import io.dsec.model.ProcessInfo;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.node.admit.Admission;
import io.dsec.node.exec.Applets;
import io.dsec.node.exec.ExecTable;
import io.dsec.node.image.Image;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All sandboxes of a node: those that hold something, and the records of those that ended and were
 * not acknowledged. Its lock guards the two maps, and nothing slow but the last journal entry of a
 * failed sandbox that goes.
 */
public final class Sandboxes {
  private static final Logger log = LoggerFactory.getLogger(Sandboxes.class);

  /** Records that nobody acknowledged: beyond this the oldest go. */
  private static final int MAX_ENDED = 10_000;

  private static final Duration POLL = Duration.ofMillis(2);

  private final SandboxSupport support;
  private final Admission admission;
  private final Map<SandboxId, Sandbox> live = new LinkedHashMap<>();
  private final Map<SandboxId, EndedSandbox> ended = new LinkedHashMap<>();
  private final Set<SandboxId> acknowledged = new HashSet<>();
  private final Copies copies;

  public Sandboxes(SandboxSupport support, Admission admission) {
    this.support = support;
    this.admission = admission;
    this.copies = new Copies(support.timers());
  }

  public Placed place(Placement placement) {
    Optional<Sandbox> known = known(placement.id());
    if (known.isPresent()) {
      return known.get().awaitPlaced();
    }
    Image image = support.images().resolve(placement.spec().image());
    Sandbox fresh = Sandbox.ordered(placement, support);
    Sandbox entered;
    try {
      entered = enter(fresh);
    } catch (DsecException e) {
      support.metrics().create("refused");
      throw e;
    }
    if (!entered.equals(fresh)) {
      return entered.awaitPlaced();
    }
    boolean running = false;
    try {
      Placed placed = fresh.setUp(image);
      running = true;
      return placed;
    } finally {
      support.metrics().create(running ? "running" : "failed");
    }
  }

  private synchronized Optional<Sandbox> known(SandboxId id) {
    EndedSandbox over = ended.get(id);
    if (over != null) {
      throw Sandbox.refusal(id, over.last());
    }
    return Optional.ofNullable(live.get(id));
  }

  /** Checks what fits and reserves it, in one step; another's sandbox when it was quicker. */
  private synchronized Sandbox enter(Sandbox fresh) {
    Optional<Sandbox> other = known(fresh.id());
    if (other.isPresent()) {
      return other.get();
    }
    admission.check(fresh.guaranteed(), held());
    live.put(fresh.id(), fresh);
    return fresh;
  }

  private Collection<Guarantee> held() {
    List<Guarantee> held = new ArrayList<>(live.size());
    live.values().forEach(sandbox -> held.add(sandbox.guaranteed()));
    return held;
  }

  public ExecResult exec(SandboxId id, ExecSpec spec, ExecListener listener) {
    return find(id).exec(spec, listener);
  }

  public ProcessInfo start(SandboxId id, ExecSpec spec) {
    return find(id).start(spec);
  }

  /** The processes of a sandbox that runs. */
  public ExecTable execs(SandboxId id) {
    return find(id).execs();
  }

  /** Files of a sandbox that runs. */
  public SandboxFiles files(SandboxId id, Optional<String> user) {
    return find(id).files(user);
  }

  /** What runs in a sandbox for the platform. */
  public Applets applets(SandboxId id) {
    return find(id).applets();
  }

  public void renew(SandboxId id, Instant expiresAt) {
    find(id).renew(expiresAt);
  }

  public SandboxReport pause(SandboxId id) {
    return find(id).pause();
  }

  public SandboxReport resume(SandboxId id) {
    return find(id).resume();
  }

  public void wake(SandboxId id, boolean mayResume) {
    find(id).wake(mayResume);
  }

  public SandboxSpec copy(SandboxId parent, SandboxId copy, List<SandboxId> children) {
    Sandbox sandbox = find(parent);
    copies.enter(copy);
    try {
      return sandbox.copy(copy, children);
    } catch (RuntimeException e) {
      dropCopy(copy);
      throw e;
    }
  }

  public void dropCopy(SandboxId copy) {
    if (copies.owns(copy)) {
      support.layers().destroy(copy);
      copies.leave(copy);
    }
  }

  private synchronized Sandbox find(SandboxId id) {
    return known(id).orElseThrow(() -> DsecException.notFound("sandbox", id.value()));
  }

  public boolean remove(SandboxId id, Duration grace, Reason reason) {
    Sandbox sandbox;
    synchronized (this) {
      sandbox = live.get(id);
      if (sandbox == null) {
        return removeEnded(id, reason);
      }
    }
    return sandbox.remove(grace, reason);
  }

  /** Only a failed one can still go. */
  private boolean removeEnded(SandboxId id, Reason reason) {
    EndedSandbox over = ended.get(id);
    if (over == null || !over.last().state().mayBecome(SandboxState.GONE)) {
      return false;
    }
    StateChange gone = new StateChange(SandboxState.GONE, reason, "", support.clock().instant());
    try (Journal journal = new Journal(over.directory())) {
      journal.append(new JournalEntry.Changed(gone));
    } catch (IOException e) {
      support.metrics().journalError();
    }
    ended.put(id, over.with(gone));
    return true;
  }

  public Optional<SandboxReport> report(SandboxId id) {
    Sandbox sandbox;
    EndedSandbox over;
    synchronized (this) {
      sandbox = live.get(id);
      over = ended.get(id);
    }
    return sandbox != null
        ? Optional.of(sandbox.report())
        : Optional.ofNullable(over).map(e -> e.report(support.node(), support.epoch()));
  }

  public List<SandboxReport> reports() {
    List<SandboxId> ids = new ArrayList<>();
    synchronized (this) {
      ids.addAll(ended.keySet());
      ids.addAll(live.keySet());
    }
    return ids.stream().map(this::report).flatMap(Optional::stream).toList();
  }

  public void acknowledge(SandboxId id) {
    EndedSandbox over;
    synchronized (this) {
      over = ended.remove(id);
      if (over == null && live.containsKey(id)) {
        acknowledged.add(id);
      }
    }
    if (over != null) {
      drop(over);
    }
  }

  /** Called once a sandbox has given everything back. */
  public void cleaned(Sandbox sandbox) {
    EndedSandbox over = sandbox.ended();
    List<EndedSandbox> dropped = new ArrayList<>();
    synchronized (this) {
      live.remove(sandbox.id());
      if (acknowledged.remove(sandbox.id()) || sandbox.failedStart()) {
        dropped.add(over);
      } else {
        dropped.addAll(keep(over));
      }
    }
    dropped.forEach(Sandboxes::drop);
  }

  private List<EndedSandbox> keep(EndedSandbox over) {
    ended.put(over.id(), over);
    if (ended.size() <= MAX_ENDED) {
      return List.of();
    }
    EndedSandbox oldest = ended.values().iterator().next();
    ended.remove(oldest.id());
    return List.of(oldest);
  }

  private static void drop(EndedSandbox over) {
    try {
      Directories.delete(over.directory());
    } catch (IOException e) {
      log.warn("{}: the record cannot be removed: {}", over.id(), e.toString());
    }
  }

  synchronized void restore(EndedSandbox over) {
    keep(over);
  }

  synchronized void adopt(Sandbox sandbox) {
    live.put(sandbox.id(), sandbox);
  }

  public synchronized List<Sandbox> live() {
    return List.copyOf(live.values());
  }

  synchronized boolean owns(SandboxId id) {
    return live.containsKey(id) || copies.owns(id);
  }

  synchronized boolean records(SandboxId id) {
    return live.containsKey(id) || ended.containsKey(id) || copies.owns(id);
  }

  public synchronized Guarantee free() {
    return admission.free(held());
  }

  public Map<SandboxState, Long> states() {
    Map<SandboxState, Long> states = new EnumMap<>(SandboxState.class);
    synchronized (this) {
      live.values().forEach(s -> states.merge(s.state(), 1L, Long::sum));
      ended.values().forEach(s -> states.merge(s.last().state(), 1L, Long::sum));
    }
    return states;
  }

  /** True when all have given everything back in time. */
  public boolean removeAll(Reason reason, Duration deadline) {
    long end = support.timers().nanos() + deadline.toNanos();
    live().forEach(s -> Thread.startVirtualThread(() -> s.remove(Duration.ZERO, reason)));
    while (!live().isEmpty() && support.timers().nanos() < end) {
      support.timers().pause(POLL);
    }
    return live().isEmpty();
  }

  /** Lets go of all: they live on without this process. */
  public void leaveAll() {
    live().forEach(Sandbox::leave);
  }
}
