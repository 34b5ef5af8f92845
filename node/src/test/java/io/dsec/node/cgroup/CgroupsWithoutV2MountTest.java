// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dsec.node.host.MountPoint;
import io.dsec.node.host.Mounts;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** All the same on a host that has mounted v1 alone: the node mounts a v2 tree for itself. */
final class CgroupsWithoutV2MountTest extends CgroupsOnThisHostTest {
  private @Nullable Path fallback;

  @Override
  Cgroups choose(CgroupConfig config) {
    List<MountPoint> v1 = Mounts.all().stream().filter(m -> m.type().equals("cgroup")).toList();
    assumeTrue(V1Hierarchies.among(v1).isPresent(), "the host has no v1 controllers");
    fallback = config.fallback();
    return CgroupProbe.choose(config, v1);
  }

  @AfterEach
  @Override
  void dispose() {
    super.dispose();
    if (fallback != null) {
      assertThat(fallback).doesNotExist();
    }
  }
}
