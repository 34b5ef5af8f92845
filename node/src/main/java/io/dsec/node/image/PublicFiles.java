// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.image;

import io.dsec.node.host.OwnedFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Files of the host's /etc that hold no secret: on the list, readable by everyone, of modest size,
 * without a private key, no password file. Links are taken as links, never followed.
 */
final class PublicFiles {
  private static final long MAX_BYTES = 4L << 20;
  private static final int DEPTH = 8;

  private final Path etc;
  private final List<PathMatcher> allowed;
  private final List<PathMatcher> links;

  PublicFiles(Path etc, List<String> globs, List<String> linkGlobs) {
    this.etc = etc;
    this.allowed = matchers(globs);
    this.links = matchers(linkGlobs);
  }

  private static List<PathMatcher> matchers(List<String> globs) {
    return globs.stream()
        .flatMap(glob -> Stream.of(glob, glob + "/**"))
        .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob))
        .toList();
  }

  /** Paths below /etc, sorted. */
  List<Path> list() throws IOException {
    if (!Files.isDirectory(etc)) {
      return List.of();
    }
    try (Stream<Path> all = Files.find(etc, DEPTH, this::isListed)) {
      return all.sorted().map(etc::relativize).toList();
    }
  }

  private boolean isListed(Path path, BasicFileAttributes attributes) {
    Path below = etc.relativize(path);
    return !attributes.isDirectory()
        && (allowed.stream().anyMatch(m -> m.matches(below))
            || (attributes.isSymbolicLink() && links.stream().anyMatch(m -> m.matches(below))));
  }

  /** Something that changes when the file does. */
  String stamp(Path below) throws IOException {
    PosixFileAttributes a = attributes(etc.resolve(below));
    return "%s %d %d".formatted(below, a.size(), a.lastModifiedTime().toMillis());
  }

  /** False when the file is not for everyone's eyes, and so was left out. */
  boolean copy(Path below, Path targetEtc) throws IOException {
    Path source = etc.resolve(below);
    Path target = targetEtc.resolve(below);
    if (Files.isSymbolicLink(source)) {
      makeParents(below, targetEtc);
      Files.createSymbolicLink(target, Files.readSymbolicLink(source));
      return true;
    }
    Optional<byte[]> content = publicContent(source);
    if (content.isEmpty()) {
      return false;
    }
    makeParents(below, targetEtc);
    Files.write(target, content.get());
    boolean executable = Files.isExecutable(source);
    OwnedFiles.own(target, executable ? 0755 : 0644, 0, 0);
    return true;
  }

  private static Optional<byte[]> publicContent(Path source) throws IOException {
    PosixFileAttributes a = attributes(source);
    if (!a.isRegularFile()
        || a.size() > MAX_BYTES
        || !a.permissions().contains(PosixFilePermission.OTHERS_READ)
        || source.getFileName().toString().contains("password")) {
      return Optional.empty();
    }
    byte[] content = Files.readAllBytes(source);
    boolean key = new String(content, StandardCharsets.ISO_8859_1).contains("PRIVATE KEY-----");
    return key ? Optional.empty() : Optional.of(content);
  }

  private static void makeParents(Path below, Path targetEtc) {
    for (int parts = 1; parts < below.getNameCount(); parts++) {
      OwnedFiles.directory(targetEtc.resolve(below.subpath(0, parts)), 0755, 0, 0);
    }
  }

  private static PosixFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
