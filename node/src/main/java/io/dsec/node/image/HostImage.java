// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.image;

import io.dsec.node.host.OwnedFiles;
import io.dsec.node.image.Image.ImageBind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The image {@code host}: the host's own programs, read-only, on a root directory made by us. It
 * shows nothing of the host's /etc, /home, /root, /run or /var beyond what {@link HostEtc} lists.
 */
public final class HostImage {
  private static final Logger LOG = LoggerFactory.getLogger(HostImage.class);
  static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** {@code agent}, by number: commands still run where a sandbox has lost its passwd file. */
  private static final String USER = "1000:1000";

  private static final Map<String, String> ENV =
      Map.of(
          "PATH", PATH,
          "LANG", "C.UTF-8",
          "TZ", "UTC",
          "TERM", "dumb",
          "PAGER", "cat",
          "GIT_PAGER", "cat",
          "DEBIAN_FRONTEND", "noninteractive");

  /** Older roots may still lie below running sandboxes, so the newest few stay. */
  private static final int KEPT = 8;

  private final Path directory;
  private final Path host;
  private final HostSkeleton skeleton;

  /**
   * @param directory for the roots, below the node's data directory
   */
  public HostImage(Path directory) {
    this(directory, Path.of("/"));
  }

  HostImage(Path directory, Path host) {
    this.directory = directory;
    this.host = host;
    this.skeleton = new HostSkeleton(host);
  }

  /** Writes the root directory where this host and this recipe have none yet: about 50 ms. */
  public Image prepare() {
    try {
      OwnedFiles.privateDirectory(directory);
      Path root = directory.resolve("root-" + skeleton.fingerprint());
      if (Files.isDirectory(root)) {
        Files.setLastModifiedTime(root, FileTime.from(java.time.Instant.now()));
      } else {
        writeWhole(root);
        LOG.info("image host is ready in {}", root);
      }
      sweep();
      return image(root);
    } catch (IOException e) {
      throw new UncheckedIOException("image host: " + e.getMessage(), e);
    }
  }

  private void writeWhole(Path root) throws IOException {
    Path draft = Files.createTempDirectory(directory, "draft-");
    skeleton.write(draft);
    Files.move(draft, root, StandardCopyOption.ATOMIC_MOVE);
  }

  private void sweep() throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      List<Path> newestFirst =
          entries.sorted(Comparator.comparingLong(HostImage::modified).reversed()).toList();
      newestFirst.stream()
          .filter(p -> p.getFileName().toString().startsWith("draft-"))
          .forEach(OwnedFiles::deleteTree);
      newestFirst.stream()
          .filter(p -> p.getFileName().toString().startsWith("root-"))
          .skip(KEPT)
          .forEach(OwnedFiles::deleteTree);
    }
  }

  private static long modified(Path path) {
    try {
      return Files.getLastModifiedTime(path).toMillis();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Image image(Path root) {
    List<ImageBind> binds =
        skeleton.binds().stream()
            .map(name -> new ImageBind(host.resolve(name), "/" + name))
            .toList();
    return new Image("host", List.of(root), binds, ENV, USER, "/workspace");
  }
}
