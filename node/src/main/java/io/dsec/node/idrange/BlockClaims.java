// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.idrange;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.host.OwnedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Blocks of id ranges, shared out among the nodes of a host: one file per block, which names its
 * node by the data directory. A node that starts again finds its own; the claim of a node whose
 * data directory has vanished is free. A lock file keeps nodes from choosing at the same time.
 */
final class BlockClaims {
  /** A file lock is the process's, so nodes in one process need this one too. */
  private static final ReentrantLock PROCESS = new ReentrantLock();

  private final Path directory;
  private final int blocks;
  private final Path data;

  BlockClaims(Path directory, int blocks, Path data) {
    this.directory = directory;
    this.blocks = blocks;
    this.data = data.toAbsolutePath().normalize();
  }

  List<Integer> own() {
    return locked(
        () ->
            IntStream.range(0, blocks)
                .filter(block -> holder(block).equals(Optional.of(data)))
                .boxed()
                .toList());
  }

  /** One more block. */
  int claim() {
    return locked(
        () -> {
          int block =
              IntStream.range(0, blocks).filter(this::free).findFirst().orElseThrow(this::noneLeft);
          write(block);
          return block;
        });
  }

  /** A certain block, for ranges that are in use already; false when another node holds it. */
  boolean claim(int block) {
    return locked(
        () -> {
          boolean ours = free(block);
          if (ours) {
            write(block);
          }
          return ours;
        });
  }

  private boolean free(int block) {
    return holder(block).map(d -> !d.equals(data) && !Files.isDirectory(d)).orElse(true);
  }

  // /var/lib/dsec
  private Optional<Path> holder(int block) {
    try {
      String text = Files.readString(file(block)).strip();
      return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(int block) {
    try {
      Path whole = directory.resolve("claim.new");
      Files.writeString(whole, data + "\n");
      Files.move(whole, file(block), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path file(int block) {
    return directory.resolve("block-" + block);
  }

  private <T> T locked(Supplier<T> body) {
    OwnedFiles.privateDirectory(directory);
    PROCESS.lock();
    try (FileChannel channel =
            FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      assert lock.isValid();
      return body.get();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      PROCESS.unlock();
    }
  }

  private DsecException noneLeft() {
    return DsecException.of(
            ErrorCode.NO_CAPACITY,
            "all %d blocks of user ids are claimed in %s".formatted(blocks, directory))
        .withHint("remove the data directories of nodes that are gone");
  }
}
