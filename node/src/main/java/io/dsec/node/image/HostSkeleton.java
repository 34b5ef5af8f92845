// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.image;

import io.dsec.node.host.OwnedFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the root directory of the image {@code host}: all but the programs themselves. */
final class HostSkeleton {
  private static final Logger LOG = LoggerFactory.getLogger(HostSkeleton.class);

  /** Raise it whenever this class or {@link HostEtc} changes what is written. */
  private static final int RECIPE = 3;

  static final int AGENT = 1000;

  /** Present at the root of many distributions, as links into /usr or as directories. */
  static final List<String> PROGRAM_DIRECTORIES =
      List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");

  private static final List<String> DIRECTORIES =
      List.of(
          "dev",
          "etc",
          "home",
          "media",
          "mnt",
          "opt",
          "proc",
          "run",
          "srv",
          "sys",
          "usr",
          "var",
          "var/cache",
          "var/lib",
          "var/local",
          "var/log",
          "var/mail",
          "var/opt",
          "var/spool");

  private static final List<String> SHARED_DIRECTORIES = List.of("tmp", "var/tmp", "run/lock");

  private static final Map<String, String> LINKS =
      Map.of("var/run", "/run", "var/lock", "/run/lock");

  private final Path host;
  private final PublicFiles files;

  HostSkeleton(Path host) {
    this.host = host;
    this.files = new PublicFiles(host.resolve("etc"), HostEtc.PUBLIC, HostEtc.PUBLIC_LINKS);
  }

  /** Changes with the recipe and with the host files that go in. */
  String fingerprint() throws IOException {
    StringBuilder text = new StringBuilder("recipe " + RECIPE + "\n");
    for (String name : PROGRAM_DIRECTORIES) {
      Path path = host.resolve(name);
      text.append(name).append(Files.isSymbolicLink(path) ? Files.readSymbolicLink(path) : "");
      text.append(Files.isDirectory(path)).append('\n');
    }
    for (Path file : files.list()) {
      text.append(files.stamp(file)).append('\n');
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every JDK has it
    }
  }

  /** Real directories of programs, which are shown as they are. */
  List<String> binds() {
    List<String> found = new ArrayList<>(List.of("usr"));
    for (String name : PROGRAM_DIRECTORIES) {
      Path path = host.resolve(name);
      if (Files.isDirectory(path) && !Files.isSymbolicLink(path)) {
        found.add(name);
      }
    }
    return found;
  }

  void write(Path root) throws IOException {
    OwnedFiles.directory(root, 0755, 0, 0);
    for (String name : DIRECTORIES) {
      OwnedFiles.directory(root.resolve(name), 0755, 0, 0);
    }
    for (String name : SHARED_DIRECTORIES) {
      OwnedFiles.directory(root.resolve(name), 01777, 0, 0);
    }
    OwnedFiles.directory(root.resolve("root"), 0700, 0, 0);
    OwnedFiles.directory(root.resolve("home/agent"), 0755, AGENT, AGENT);
    OwnedFiles.directory(root.resolve("workspace"), 0755, AGENT, AGENT);
    writeProgramDirectories(root);
    writeLinks(root, LINKS);
    writeEtc(root.resolve("etc"));
  }

  private void writeProgramDirectories(Path root) throws IOException {
    for (String name : PROGRAM_DIRECTORIES) {
      Path path = host.resolve(name);
      if (Files.isSymbolicLink(path)) {
        Files.createSymbolicLink(root.resolve(name), Files.readSymbolicLink(path));
      } else if (Files.isDirectory(path)) {
        OwnedFiles.directory(root.resolve(name), 0755, 0, 0);
      }
    }
  }

  private void writeEtc(Path etc) throws IOException {
    for (var file : HostEtc.OWN.entrySet()) {
      Path path = etc.resolve(file.getKey());
      Files.writeString(path, withShell(file.getValue()));
      OwnedFiles.own(path, 0644, 0, 0);
    }
    writeLinks(etc, HostEtc.LINKS);
    Set<String> own = HostEtc.OWN.keySet();
    for (Path file : files.list()) {
      if (!own.contains(file.toString()) && !files.copy(file, etc)) {
        LOG.info("left out of image host: {}", host.resolve("etc").resolve(file));
      }
    }
  }

  private String withShell(String text) {
    boolean bash = Files.exists(host.resolve("bin/bash"));
    return bash
        ? text
        : text.replace("/bin/sh\n/bin/bash\n", "/bin/sh\n").replace("/bin/bash", "/bin/sh");
  }

  private static void writeLinks(Path root, Map<String, String> links) throws IOException {
    for (var link : links.entrySet()) {
      Files.createSymbolicLink(root.resolve(link.getKey()), Path.of(link.getValue()));
    }
  }
}
