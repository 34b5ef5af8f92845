// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.SandboxId;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import io.dsec.node.host.SyscallException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An ext4 image per sandbox. {@code layers/ID} is a link to the volume that serves it, so that a
 * volume from the stock gets its sandbox in one atomic step; a volume without a link is nobody's.
 */
final class Ext4ImageLayers implements WritableLayers {
  private static final Logger LOG = LoggerFactory.getLogger(Ext4ImageLayers.class);

  private final Path layers;
  private final Ext4Volumes volumes;
  private final BlockingCalls calls;
  private final int stockSize;
  private VolumeStock stock;

  Ext4ImageLayers(Path directory, int stockSize, BlockingCalls calls, RandomGenerator random) {
    this.layers = directory.resolve("layers");
    this.volumes = new Ext4Volumes(directory.resolve("volumes"), random);
    this.calls = calls;
    this.stockSize = stockSize;
    this.stock = new VolumeStock(volumes, calls, stockSize);
  }

  @Override
  public String name() {
    return "ext4-image";
  }

  @Override
  public void prepare() {
    OwnedFiles.privateDirectory(layers);
    volumes.prepare();
    stock.close();
    stock = new VolumeStock(volumes, calls, stockSize);
    calls.run(
        () -> {
          Set<String> linked = new HashSet<>();
          present().forEach(id -> volume(id).ifPresent(linked::add));
          for (String volume : volumes.present()) {
            if (linked.contains(volume)) {
              mountAgain(volume);
            } else {
              volumes.destroy(volume);
            }
          }
        });
  }

  /** One that cannot be mounted fails its own sandbox, never the node's start. */
  private void mountAgain(String volume) {
    try {
      volumes.mount(volume);
    } catch (SyscallException e) {
      LOG.warn("the layer of a sandbox is lost: {}", e.getMessage());
    }
  }

  @Override
  public WritableLayer create(SandboxId id, long bytes) {
    return calls.get(
        () -> {
          Optional<String> present = volume(id).filter(volumes::whole);
          String volume = present.orElseGet(() -> stock.take(bytes));
          if (present.isEmpty()) {
            link(id, volume);
          } else {
            volumes.mount(volume);
          }
          return LayerDirectories.make(volumes.directory(volume));
        });
  }

  private void link(SandboxId id, String volume) {
    try {
      Files.deleteIfExists(layers.resolve(id.value())); // left by a destroy that was cut short
      Files.createSymbolicLink(layers.resolve(id.value()), Path.of("../volumes", volume));
    } catch (IOException e) {
      volumes.destroy(volume);
      throw new UncheckedIOException(e);
    }
  }

  private Optional<String> volume(SandboxId id) {
    try {
      Path target = Files.readSymbolicLink(layers.resolve(id.value()));
      return Optional.of(target.getFileName().toString());
    } catch (NoSuchFileException | NotLinkException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public WritableLayer copy(SandboxId from, SandboxId to, long bytes) {
    destroy(to);
    WritableLayer copy = create(to, bytes);
    calls.run(
        () ->
            LayerDirectories.copyFiles(
                LayerDirectories.of(volumes.directory(volume(from).orElseThrow())), copy));
    return copy;
  }

  @Override
  public long used(SandboxId id) {
    Path directory = volume(id).map(volumes::directory).orElse(layers);
    if (!Mounts.mounted(directory)) {
      return 0;
    }
    try {
      FileStore store = Files.getFileStore(directory);
      return store.getTotalSpace() - store.getUnallocatedSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void destroy(SandboxId id) {
    calls.run(
        () -> {
          volume(id).ifPresent(volumes::destroy);
          try {
            Files.deleteIfExists(layers.resolve(id.value()));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Override
  public Set<SandboxId> present() {
    return LayerDirectories.idsIn(layers);
  }

  /** Volumes made ahead. */
  int stocked() {
    return stock.size();
  }

  @Override
  public void dispose() {
    stock.close();
    calls.run(() -> volumes.present().forEach(volumes::unmount));
  }
}
