// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.Placed;
import io.dsec.link.Placement;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.node.exec.ExecDefaults;
import io.dsec.node.image.Image;
import java.time.Duration;
import java.util.List;

/** Brings a new sandbox to {@code RUNNING}, measuring each step. */
final class SetUp {
  private final Placement placement;
  private final SandboxSupport support;
  private final Parts parts;
  private final List<SetupStep> steps;
  private final Wiring wiring;
  private final Life life;

  SetUp(
      Placement placement,
      SandboxSupport support,
      Parts parts,
      List<SetupStep> steps,
      Wiring wiring,
      Life life) {
    this.placement = placement;
    this.support = support;
    this.parts = parts;
    this.steps = steps;
    this.wiring = wiring;
    this.life = life;
  }

  /** Stops between two steps when the sandbox is no longer wanted. */
  Placed run(Image image) {
    ExecDefaults defaults = Wiring.defaults(placement.spec(), image);
    long begin = support.timers().nanos();
    wiring.journalFirst(life);
    steps.forEach(SetupStep::begin);
    wiring.recordFirst(life);
    parts.image = image;
    parts.onLaunched =
        process ->
            life.require(
                new JournalEntry.Launched(
                    process.pid(), process.startTicks(), parts.idBase, image.digest(), defaults));
    wiring.channel(defaults, 1, null);
    long last = phase("journal", begin);
    long launching = last;
    for (SetupStep step : steps) {
      if (life.state() != SandboxState.PREPARING) {
        throw Sandbox.refusal(placement.id(), life.last());
      }
      launching = step.name().equals("launch") ? last : launching;
      run(step);
      last = phase(step.name(), last);
    }
    parts.image = null;
    StateChange running =
        new StateChange(SandboxState.RUNNING, Reason.REQUESTED, "", support.clock().instant());
    if (!life.become(running)) {
      throw Sandbox.refusal(placement.id(), life.last());
    }
    return new Placed(
        support.node(),
        placement.tier(),
        image.digest(),
        running.at(),
        Duration.ofNanos(launching - begin),
        Duration.ofNanos(last - launching));
  }

  private static void run(SetupStep step) {
    try {
      step.run();
    } catch (DsecException e) {
      throw e;
    } catch (RuntimeException e) {
      throw DsecException.of(
              ErrorCode.SANDBOX_FAILED,
              "the sandbox could not be started, step \"%s\": %s".formatted(step.name(), e))
          .withCause(e);
    }
  }

  private long phase(String name, long since) {
    long now = support.timers().nanos();
    support.metrics().phase(name, now - since);
    return now;
  }
}
