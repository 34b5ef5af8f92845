// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.node.host.MountPoint;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Mount points of the v1 controllers that limits need; some hosts mount several as one. */
record V1Hierarchies(Path memory, Path cpu, Path pids) {
  static Optional<V1Hierarchies> among(List<MountPoint> mounts) {
    Optional<Path> memory = of("memory", mounts);
    Optional<Path> cpu = of("cpu", mounts);
    Optional<Path> pids = of("pids", mounts);
    return memory.isPresent() && cpu.isPresent() && pids.isPresent()
        ? Optional.of(new V1Hierarchies(memory.get(), cpu.get(), pids.get()))
        : Optional.empty();
  }

  static Optional<Path> of(String controller, List<MountPoint> mounts) {
    return mounts.stream()
        .filter(m -> m.type().equals("cgroup") && m.superOptions().contains(controller))
        .map(MountPoint::target)
        .findFirst();
  }

  List<Path> distinct() {
    return Stream.of(memory, cpu, pids).distinct().toList();
  }
}
