// SPDX-License-Identifier: Apache-2.0
package io.dsec.node;

import io.dsec.node.cgroup.CgroupConfig;
import io.dsec.node.cgroup.CgroupProbe;
import io.dsec.node.disk.DiskBackends;
import io.dsec.node.disk.DiskConfig;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.host.DevTemplate;
import io.dsec.node.idrange.HostIdRanges;
import io.dsec.node.idrange.IdRangeConfig;
import io.dsec.node.image.HostImage;
import io.dsec.node.image.ImageCatalog;
import io.dsec.node.record.RecordConfig;
import io.dsec.node.record.SpooledRecordings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;

/** The parts of a node on a real host: needs root. */
public final class LinuxHost implements HostParts.Maker {
  private static final int BLOCKING_CALLS = 8;

  private final Path dataDir;
  private final DiskConfig disk;
  private final Clock clock;
  private final PrometheusRegistry registry;

  public LinuxHost(Path dataDir, DiskConfig disk, Clock clock, PrometheusRegistry registry) {
    this.dataDir = dataDir;
    this.disk = disk;
    this.clock = clock;
    this.registry = registry;
  }

  public LinuxHost(Path dataDir, Clock clock, PrometheusRegistry registry) {
    this(dataDir, DiskConfig.of(dataDir.resolve("layers")), clock, registry);
  }

  @Override
  public HostParts make(String instance) {
    BlockingCalls calls = new BlockingCalls(BLOCKING_CALLS);
    DevTemplate dev = new DevTemplate(dataDir.resolve("dev"));
    dev.prepare();
    SpooledRecordings recordings =
        new SpooledRecordings(
            RecordConfig.in(dataDir.resolve("trajectories")), clock, System::nanoTime, registry);
    return new HostParts(
        CgroupProbe.choose(CgroupConfig.of("dsec-" + instance)),
        new DiskBackends(disk, calls, new SecureRandom()).both(),
        new ImageCatalog(new HostImage(dataDir.resolve("host-image"))),
        new HostIdRanges(IdRangeConfig.DEFAULT, dataDir),
        recordings,
        dev.directory(),
        removed -> {
          recordings.close();
          if (removed) {
            dev.dispose();
          }
          calls.close();
        });
  }
}
