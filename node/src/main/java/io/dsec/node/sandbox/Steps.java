// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.node.disk.WritableLayer;
import io.dsec.node.launch.LaunchOrder;
import io.dsec.node.launch.Launched;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The steps of a sandbox's set-up, in order. */
final class Steps {
  private static final Duration TO_DIE = Duration.ofSeconds(10);

  private Steps() {}

  /** {@code directory} is the sandbox's own. */
  static List<SetupStep> of(SandboxId id, Path directory, SandboxSupport support, Parts parts) {
    return List.of(
        new Ids(id, support, parts),
        new Groups(id, support, parts),
        new Layer(id, support, parts),
        new Launch(id, socket(directory), support, parts),
        new Connect(parts));
  }

  static Path socket(Path directory) {
    return directory.resolve("guest.sock");
  }

  private record Ids(SandboxId id, SandboxSupport support, Parts parts) implements SetupStep {
    @Override
    public String name() {
      return "ids";
    }

    @Override
    public void run() {
      parts.idBase = support.ids().acquire(id);
    }

    @Override
    public void undo() {
      support.ids().release(id);
    }
  }

  private record Groups(SandboxId id, SandboxSupport support, Parts parts) implements SetupStep {
    @Override
    public String name() {
      return "cgroups";
    }

    @Override
    public void run() {
      parts.groups = support.cgroups().create(id, parts.placement().spec().resources());
    }

    @Override
    public void undo() {
      support.cgroups().remove(id);
    }
  }

  private record Layer(SandboxId id, SandboxSupport support, Parts parts) implements SetupStep {
    @Override
    public String name() {
      return "layer";
    }

    /** Its thread waits for the kernel most of the time. */
    @Override
    public void begin() {
      CompletableFuture<WritableLayer> coming = new CompletableFuture<>();
      parts.layerToCome = coming;
      Thread.ofVirtual()
          .name("layer")
          .start(
              () -> {
                try {
                  coming.complete(create());
                } catch (Throwable e) {
                  coming.completeExceptionally(e);
                }
              });
    }

    private WritableLayer create() {
      Resources resources = parts.placement().spec().resources();
      return parts
          .placement()
          .fork()
          .map(fork -> support.layers().copy(fork.copy(), id, resources))
          .orElseGet(() -> support.layers().create(id, resources));
    }

    @Override
    public void run() {
      CompletableFuture<WritableLayer> coming = parts.layerToCome;
      parts.layerToCome = null;
      try {
        parts.layer = coming == null ? create() : coming.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : e;
      }
    }

    @Override
    public void undo() {
      CompletableFuture<WritableLayer> coming = parts.layerToCome;
      if (coming != null) { // never waited for
        coming.handle((_, _) -> true).join();
      }
      support.layers().destroy(id);
    }
  }

  /** Its undo leaves no process: mounts and namespaces go with the last one. */
  private record Launch(SandboxId id, Path socket, SandboxSupport support, Parts parts)
      implements SetupStep {
    @Override
    public String name() {
      return "launch";
    }

    @Override
    public void run() {
      Launched launched = support.launcher().launch(order(), this::startOver);
      parts.launched(new InitProcess(launched.pid(), launched.startTicks()));
      launched.timings().forEach(t -> support.metrics().phase("launch: " + t.step(), t.nanos()));
    }

    private LaunchOrder order() {
      SandboxSpec spec = parts.placement().spec();
      return new LaunchOrder(
          id,
          spec.hostname().orElse(id.value()),
          parts.idBase,
          socket,
          Parts.need(parts.groups, "cgroups"),
          Parts.need(parts.layer, "writable layer"),
          Parts.need(parts.image, "image"),
          support.dev(),
          spec.resources().shmBytes(),
          parts.placement().fork().isPresent());
    }

    /**
     * A fresh layer and fresh groups for the second try: the kernel mounts a volatile overlay once,
     * and kills whatever is cloned into a group that was killed through {@code cgroup.kill}.
     */
    private void startOver() {
      undo();
      for (SetupStep step :
          List.of(new Layer(id, support, parts), new Groups(id, support, parts))) {
        step.undo();
        step.run();
      }
    }

    @Override
    public void undo() {
      support.cgroups().kill(id);
      long end = support.timers().nanos() + TO_DIE.toNanos();
      long millis = 1;
      while (!support.cgroups().empty(id)) {
        if (support.timers().nanos() > end) {
          throw new IllegalStateException("processes outlive SIGKILL");
        }
        support.timers().pause(Duration.ofMillis(millis));
        millis = Math.min(50, millis * 2);
      }
      try {
        Files.deleteIfExists(socket);
      } catch (IOException e) {
        throw new IllegalStateException("the socket cannot be removed", e);
      }
    }
  }

  private record Connect(Parts parts) implements SetupStep {
    @Override
    public String name() {
      return "connect";
    }

    @Override
    public void run() {
      try {
        Parts.need(parts.channel, "channel").open();
      } catch (IOException e) {
        throw DsecException.of(
                ErrorCode.SANDBOX_FAILED, "the sandbox's init does not answer: " + e.getMessage())
            .withCause(e);
      }
    }

    @Override
    public void undo() {
      if (parts.channel != null) {
        parts.channel.close();
      }
    }
  }
}
