// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.server.tenant.Caller;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Finds sandboxes: those without an end in memory, the others in the database. */
public final class Catalog {
  private static final Comparator<SandboxRecord> NEWEST_FIRST =
      Comparator.comparing(SandboxRecord::createdAt).thenComparing(r -> r.id().value()).reversed();

  private final SandboxTable table;
  private final Map<SandboxId, Sandbox> live = new ConcurrentHashMap<>();

  public Catalog(SandboxTable table) {
    this.table = table;
  }

  void add(Sandbox sandbox) {
    live.put(sandbox.id(), sandbox);
  }

  void drop(Sandbox sandbox) {
    live.remove(sandbox.id(), sandbox);
  }

  public Optional<Sandbox> live(SandboxId id) {
    return Optional.ofNullable(live.get(id));
  }

  public Collection<Sandbox> live() {
    return List.copyOf(live.values());
  }

  public int size() {
    return live.size();
  }

  /**
   * The sandbox as it is now; {@code not_found} also for one of a tenant that is not the caller's.
   */
  public SandboxRecord record(Caller caller, SandboxId id) {
    Sandbox sandbox = live.get(id);
    Optional<SandboxRecord> found =
        sandbox == null ? table.find(id) : Optional.of(sandbox.record());
    return found
        .filter(r -> caller.mayUse(r.tenant()))
        .orElseThrow(() -> DsecException.notFound("sandbox", id.value()));
  }

  public Optional<SandboxRecord> find(SandboxId id) {
    Sandbox sandbox = live.get(id);
    return sandbox == null ? table.find(id) : Optional.of(sandbox.record());
  }

  public List<SandboxRecord> list(SandboxFilter filter, int limit) {
    if (filter.openOnly()) {
      return live.values().stream()
          .map(Sandbox::record)
          .filter(filter::accepts)
          .sorted(NEWEST_FIRST)
          .limit(limit)
          .toList();
    }
    return table.list(filter, limit).stream()
        .map(r -> live(r.id()).map(Sandbox::record).orElse(r))
        .toList();
  }

  /** All live ones that the filter accepts. */
  public List<Sandbox> matching(SandboxFilter filter) {
    return live.values().stream().filter(s -> filter.accepts(s.record())).toList();
  }
}
