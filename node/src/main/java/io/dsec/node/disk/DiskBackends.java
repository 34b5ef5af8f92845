// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.host.OwnedFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the best back end that really limits. */
public final class DiskBackends {
  private static final Logger LOG = LoggerFactory.getLogger(DiskBackends.class);

  private final DiskConfig config;
  private final BlockingCalls calls;
  private final RandomGenerator random;

  public DiskBackends(DiskConfig config, BlockingCalls calls, RandomGenerator random) {
    this.config = config;
    this.calls = calls;
    this.random = random;
  }

  /**
   * @param layers prepared
   * @param refused better ones that this host cannot do
   */
  public record Choice(WritableLayers layers, List<Refusal> refused) {
    public Choice {
      refused = List.copyOf(refused);
    }
  }

  /** A back end that was not taken. */
  public record Refusal(String backend, String reason) {}

  /**
   * Prepares and tries one after the other, best first. Where sandboxes still have layers of
   * another one from before a restart, that one stays until they are gone.
   *
   * @throws DsecException {@code NOT_SUPPORTED} when none limits: DSec never runs without
   */
  public Choice choose() {
    Choice best = best();
    Optional<String> before = LastBackend.read(config.directory());
    if (before.isPresent() && !before.get().equals(best.layers().name())) {
      WritableLayers old = backend(before.get());
      if (inUse(old)) {
        LOG.info("{} stays until its layers are gone; then {}", old.name(), best.layers().name());
        best.layers().dispose();
        return new Choice(old, best.refused());
      }
      disposeQuietly(old);
      OwnedFiles.deleteTree(config.directory().resolve(old.name()));
    }
    LastBackend.write(config.directory(), best.layers().name());
    return best;
  }

  private Choice best() {
    List<Refusal> refused = new ArrayList<>();
    for (String name : config.backends()) {
      WritableLayers layers = backend(name);
      try {
        layers.prepare();
        new LimitTest(random).run(layers);
        LOG.info("writable layers by {}; not by {}", name, refused);
        return new Choice(layers, refused);
      } catch (RuntimeException e) {
        refused.add(new Refusal(name, String.valueOf(e.getMessage())));
        disposeQuietly(layers);
      }
    }
    throw DsecException.of(
            ErrorCode.NOT_SUPPORTED,
            "no back end can limit the size of writable layers in %s: %s"
                .formatted(config.directory(), refused))
        .withHint("install e2fsprogs or btrfs-progs, and run as root");
  }

  private static boolean inUse(WritableLayers old) {
    try {
      old.prepare();
      return !old.present().isEmpty();
    } catch (RuntimeException e) {
      LOG.warn("the layers by {} of before are lost: {}", old.name(), e.getMessage());
      return false;
    }
  }

  /**
   * Whether the file system counts by project.
   *
   * @throws IllegalStateException with the reason when not
   */
  public static void tryProjectQuota(Path directory) {
    ProjectQuotaLayers.probe(directory, 1);
  }

  /** Layers on disk by the best back end, in memory by tmpfs. */
  public Layers both() {
    return new Layers(
        choose().layers(), new TmpfsLayers(config.directory().resolve("memory"), calls));
  }

  private WritableLayers backend(String name) {
    Path own = config.directory().resolve(name);
    return switch (name) {
      case "project-quota" -> new ProjectQuotaLayers(own, calls);
      case "btrfs" -> new BtrfsLayers(own, config.poolBytes(), calls);
      case "ext4-image" -> new Ext4ImageLayers(own, config.stock(), calls, random);
      case "tmpfs" -> new TmpfsLayers(own, calls);
      default -> throw new IllegalStateException("no disk back end " + name);
    };
  }

  private static void disposeQuietly(WritableLayers layers) {
    try {
      layers.dispose();
    } catch (RuntimeException e) {
      LOG.debug("dispose of {} after its refusal", layers.name(), e);
    }
  }
}
