// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the node's records with what the kernel and the disk show, under the node's own prefix,
 * and repairs the difference. A sandbox enters the records before anything of it is made, so what
 * is listed first and looked up afterwards is an orphan for certain.
 */
public final class Reconciler {
  private static final Logger log = LoggerFactory.getLogger(Reconciler.class);

  private final SandboxSupport support;
  private final Sandboxes sandboxes;

  public Reconciler(SandboxSupport support, Sandboxes sandboxes) {
    this.support = support;
    this.sandboxes = sandboxes;
  }

  /** At start, before any command. */
  public void restore() {
    new Restore(support, sandboxes).run(directories());
    round();
  }

  /** Every now and then. One part failing does not keep the others from running. */
  public void round() {
    attempt("orphans", this::sweepOrphans);
    attempt("live", () -> sandboxes.live().forEach(Sandbox::check));
    attempt("recordings", support.recordings()::sweep);
  }

  private static void attempt(String what, Runnable part) {
    try {
      part.run();
    } catch (RuntimeException e) {
      log.error("reconciling {} failed", what, e);
    }
  }

  /** Looked up between two listings, since a sandbox may end just after the first. */
  private void sweepOrphans() {
    Set<SandboxId> orphans = unrecorded();
    orphans.removeIf(sandboxes::owns);
    if (!orphans.isEmpty()) {
      orphans.retainAll(unrecorded());
      orphans.forEach(this::sweep);
    }
  }

  private Set<SandboxId> unrecorded() {
    Set<SandboxId> seen = new HashSet<>(support.cgroups().present());
    seen.addAll(support.layers().present());
    for (Path directory : directories()) {
      SandboxId id = id(directory);
      if (!sandboxes.records(id)) {
        seen.add(id);
      }
    }
    return seen;
  }

  private void sweep(SandboxId id) {
    Path directory = support.directory().resolve(id.value());
    List<SetupStep> steps = Steps.of(id, directory, support, new Parts());
    List<String> errors = new Teardown(steps, support.undo(), support.metrics()).run();
    if (errors.isEmpty() && !sandboxes.records(id)) {
      try {
        Directories.delete(directory);
      } catch (IOException e) {
        errors = List.of("directory: " + e);
      }
    }
    if (errors.isEmpty()) {
      support.metrics().repaired("orphan");
      log.info("{}: swept what nobody owned", id);
    } else {
      log.warn("{}: an orphan could not be swept: {}", id, errors);
    }
  }

  private Set<Path> directories() {
    Set<Path> found = new LinkedHashSet<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(support.directory(), "sb-*")) {
      for (Path path : all) {
        if (isId(path)) {
          found.add(path);
        }
      }
    } catch (IOException e) {
      log.error("{} cannot be listed: {}", support.directory(), e.toString());
    }
    return found;
  }

  private static boolean isId(Path path) {
    try {
      id(path);
      return true;
    } catch (DsecException _) {
      return false;
    }
  }

  private static SandboxId id(Path path) {
    return new SandboxId(String.valueOf(path.getFileName()));
  }
}
