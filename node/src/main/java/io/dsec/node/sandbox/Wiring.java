// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.Json;
import io.dsec.link.Placement;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.node.channel.GuestChannel;
import io.dsec.node.exec.Applets;
import io.dsec.node.exec.ExecContext;
import io.dsec.node.exec.ExecDefaults;
import io.dsec.node.exec.ExecSession;
import io.dsec.node.exec.ExecTable;
import io.dsec.node.exec.SpoolBudget;
import io.dsec.node.files.FileAgents;
import io.dsec.node.image.Image;
import io.dsec.node.record.Recorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the parts of a sandbox that live in this process: records, channel, execs. */
final class Wiring {
  private static final Logger log = LoggerFactory.getLogger(Wiring.class);

  private final Placement placement;
  private final Path directory;
  private final SandboxSupport support;
  private final Parts parts;
  private final BiConsumer<Reason, String> lost;

  Wiring(
      Placement placement,
      Path directory,
      SandboxSupport support,
      Parts parts,
      BiConsumer<Reason, String> lost) {
    this.placement = placement;
    this.directory = directory;
    this.support = support;
    this.parts = parts;
    this.lost = lost;
  }

  static ExecDefaults defaults(SandboxSpec spec, Image image) {
    Map<String, String> env = new HashMap<>(image.env());
    env.putAll(spec.env());
    env.putAll(spec.secrets());
    return new ExecDefaults(
        env, spec.user().orElse(image.user()), spec.workdir().orElse(image.workdir()));
  }

  /** Directory and journal of a new sandbox. */
  void journalFirst(Life life) {
    try {
      Directories.make(directory);
    } catch (IOException e) {
      throw DsecException.of(
              ErrorCode.SANDBOX_FAILED, "the sandbox's directory cannot be made: " + e)
          .withCause(e);
    }
    if (!life.begin(placement)) {
      throw Sandbox.refusal(placement.id(), life.last());
    }
  }

  /** The trajectory of a new sandbox. */
  void recordFirst(Life life) {
    recorder();
    record(SandboxState.PLACING, life.last());
  }

  void recorder() {
    parts.recorder =
        support
            .recordings()
            .open(placement.id(), placement.spec().record(), placement.spec().secrets().values());
  }

  /** {@code firstExec}: beyond all numbers that were ever used in this sandbox. */
  void channel(ExecDefaults defaults, long firstExec, ExecSession.@Nullable FirstWelcome first) {
    SandboxId id = placement.id();
    ExecSession session = new ExecSession(lost);
    GuestChannel channel =
        new GuestChannel(
            id.value(), Steps.socket(directory), session, this::initAlive, support.channels());
    ExecContext context =
        new ExecContext(
            channel,
            Parts.need(parts.recorder, "recorder"),
            directory,
            new SpoolBudget(directory, SpoolBudget.SHARE),
            defaults,
            support.timers(),
            support.clock(),
            exec -> support.cgroups().killExec(id, exec),
            () -> support.cgroups().pidsRefused(id));
    ExecTable execs = new ExecTable(context, firstExec);
    Applets applets = new Applets(channel, support.timers(), defaults.user(), support.epoch());
    session.attach(execs, applets, first);
    parts.channel = channel;
    parts.execs = execs;
    parts.applets = applets;
    parts.files = new FileAgents(applets, support.timers());
  }

  private boolean initAlive() {
    InitProcess init = parts.init;
    return init != null && init.alive();
  }

  void record(SandboxState before, StateChange change) {
    Recorder recorder = parts.recorder;
    if (recorder == null) {
      return;
    }
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("reason", Json.lower(change.reason()));
    if (!change.message().isEmpty()) {
      data.put("message", change.message());
    }
    if (change.state() == SandboxState.PREPARING) {
      data.put("tenant", placement.tenant());
      data.put("node", support.node());
      data.put("tier", Json.lower(placement.tier()));
      data.put("image", placement.spec().image());
      data.put("attempt", placement.attempt());
      data.put("labels", placement.spec().labels());
      placement.fork().ifPresent(fork -> data.put("parent", fork.parent().value()));
      recorder.event("sandbox.created", data);
    } else if (before == SandboxState.PAUSED && change.state() == SandboxState.RUNNING) {
      recorder.event("sandbox.resumed", data);
    } else {
      recorder.event("sandbox." + Json.lower(change.state()), data);
    }
  }

  void forked(List<SandboxId> children) {
    if (parts.recorder != null) {
      List<String> ids = children.stream().map(SandboxId::value).toList();
      parts.recorder.event("sandbox.forked", Map.of("children", ids));
    }
  }

  /** After the last event: what stays is the journal and the long output of the main command. */
  void close(Journal journal, Optional<MainResult> main) {
    if (parts.recorder != null) {
      parts.recorder.close();
    }
    try {
      journal.close();
      Directories.deleteFiles(
          directory,
          name -> name.equals(Journal.FILE) || main.map(m -> m.keeps(name)).orElse(false));
    } catch (IOException e) {
      log.warn("{}: {}", placement.id(), e.toString());
    }
  }
}
