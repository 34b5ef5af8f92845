// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.Placement;
import io.dsec.node.cgroup.SandboxGroups;
import io.dsec.node.channel.GuestChannel;
import io.dsec.node.disk.WritableLayer;
import io.dsec.node.exec.Applets;
import io.dsec.node.exec.ExecTable;
import io.dsec.node.files.FileAgents;
import io.dsec.node.image.Image;
import io.dsec.node.record.Recorder;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the steps of a set-up have made so far. Each field is set by one step. */
final class Parts {
  @Nullable Placement placement;
  volatile @Nullable Recorder recorder;
  int idBase;
  @Nullable SandboxGroups groups;
  volatile @Nullable CompletableFuture<WritableLayer> layerToCome;
  @Nullable WritableLayer layer;
  @Nullable Image image;
  volatile @Nullable InitProcess init;
  volatile @Nullable GuestChannel channel;
  volatile @Nullable ExecTable execs;
  volatile @Nullable Applets applets;
  volatile @Nullable FileAgents files;

  /** Told as soon as init runs, so that it can be found again after a crash. */
  Consumer<InitProcess> onLaunched = _ -> {};

  Placement placement() {
    return need(placement, "placement");
  }

  void launched(InitProcess process) {
    init = process;
    onLaunched.accept(process);
  }

  static <T> T need(@Nullable T part, String name) {
    if (part == null) {
      throw new IllegalStateException("the sandbox has no " + name + " yet");
    }
    return part;
  }
}
