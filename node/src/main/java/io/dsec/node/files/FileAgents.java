// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.exec.AppletStream;
import io.dsec.node.exec.Applets;
import io.dsec.node.time.Timers;
import io.dsec.proto.files.Reply;
import io.dsec.proto.files.Request;
import io.dsec.proto.guest.Start;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The file agents of one sandbox, one per user. They start when first needed, end when nothing was
 * asked of them for a while, and start anew when something inside killed them.
 */
public final class FileAgents {
  /** How long the guest may take for something small, or to move on with something big. */
  static final Optional<Duration> PATIENCE = Optional.of(Duration.ofSeconds(30));

  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final int MAX = 4;
  private static final int ATTEMPTS = 3;

  private final Applets applets;
  private final Timers timers;
  private final Map<String, FileAgent> agents = new HashMap<>(2);

  public FileAgents(Applets applets, Timers timers) {
    this.applets = applets;
    this.timers = timers;
  }

  /** {@code again}: asking twice does no harm, should the first answer get lost. */
  Reply ask(Optional<String> user, Request request, boolean again) {
    String name = user.orElse(applets.user());
    for (int attempt = 1; ; attempt++) {
      FileAgent agent = agent(name);
      try {
        return agent.ask(request, timers.nanos());
      } catch (IOException e) {
        drop(name, agent);
        if (!again || attempt == ATTEMPTS) {
          throw lost(e);
        }
      } catch (DsecException e) {
        drop(name, agent);
        throw e;
      }
    }
  }

  /** One of its own, for what may take long. */
  AppletStream open(Optional<String> user, Optional<Duration> patience) {
    try {
      return applets.open(Start.Applet.FILES, List.of(), user, patience);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  static DsecException lost(IOException e) {
    return DsecException.of(
            ErrorCode.SANDBOX_FAILED,
            "what does the file work inside the sandbox was stopped: " + e.getMessage())
        .withCause(e);
  }

  private FileAgent agent(String user) {
    synchronized (agents) {
      FileAgent known = agents.get(user);
      if (known != null && known.alive()) {
        return known;
      }
      agents.values().removeIf(agent -> !agent.alive());
      if (agents.size() >= MAX) {
        agents.entrySet().stream()
            .min(Comparator.comparingLong(one -> one.getValue().lastUsed()))
            .ifPresent(oldest -> drop(oldest.getKey(), oldest.getValue()));
      }
      FileAgent fresh = new FileAgent(() -> open(Optional.of(user), PATIENCE), timers.nanos());
      agents.put(user, fresh);
      endWhenIdle(user, fresh);
      return fresh;
    }
  }

  private void endWhenIdle(String user, FileAgent agent) {
    timers.after(
        IDLE,
        () -> {
          if (!agent.alive() || timers.nanos() - agent.lastUsed() >= IDLE.toNanos()) {
            drop(user, agent);
          } else {
            endWhenIdle(user, agent);
          }
        });
  }

  /** Ends all of them for now. */
  public void rest() {
    synchronized (agents) {
      agents.values().forEach(FileAgent::close);
      agents.clear();
    }
  }

  private void drop(String user, FileAgent agent) {
    synchronized (agents) {
      agents.remove(user, agent);
    }
    agent.close();
  }
}
