// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.Resources;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** {@code resources} of a create request. */
record ResourcesRequest(
    @Nullable Double cpu,
    @Nullable JsonNode memory,
    @Nullable JsonNode disk,
    @Nullable Integer pids,
    @Nullable Integer gpu,
    Resources.@Nullable DiskMedium diskMedium,
    @Nullable JsonNode shm) {
  static final ResourcesRequest NONE =
      new ResourcesRequest(null, null, null, null, null, null, null);

  Resources resources() {
    if (gpu != null && gpu > 0) {
      throw DsecException.notSupported("resources.gpu", "this release places no GPUs");
    }
    Resources byDefault = Resources.DEFAULT;
    return new Resources(
        cpu == null ? byDefault.cpu() : cpu,
        Amount.size("resources.memory", memory).orElse(byDefault.memory()),
        Amount.size("resources.disk", disk).orElse(byDefault.disk()),
        pids == null ? byDefault.pids() : pids,
        0,
        diskMedium == null ? byDefault.diskMedium() : diskMedium,
        Amount.size("resources.shm", shm).orElse(byDefault.shm()));
  }

  /** These where given, else the others. */
  ResourcesRequest over(ResourcesRequest other) {
    return new ResourcesRequest(
        cpu == null ? other.cpu : cpu,
        memory == null ? other.memory : memory,
        disk == null ? other.disk : disk,
        pids == null ? other.pids : pids,
        gpu == null ? other.gpu : gpu,
        diskMedium == null ? other.diskMedium : diskMedium,
        shm == null ? other.shm : shm);
  }
}
