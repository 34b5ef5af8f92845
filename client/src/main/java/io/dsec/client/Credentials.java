// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A server's URL and a key for it, as kept in {@code ~/.config/dsec/credentials}. */
public record Credentials(URI url, String key) {
  public static Path defaultFile(Map<String, String> environment) {
    String home = environment.getOrDefault("HOME", System.getProperty("user.home", "/"));
    return Path.of(home, ".config", "dsec", "credentials");
  }

  /** Nothing when there is no such file. A file that cannot be understood is an error. */
  public static Optional<Credentials> read(Path file) {
    try {
      JsonNode fields = Replies.mapper().readTree(Files.readString(file));
      return Optional.of(
          new Credentials(
              URI.create(fields.required("url").asString()), fields.required("key").asString()));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the credentials file " + file, e);
    } catch (JacksonException e) {
      throw unreadable(file, e.getOriginalMessage(), e);
    } catch (IllegalArgumentException e) {
      throw unreadable(file, String.valueOf(e.getMessage()), e);
    }
  }

  private static IllegalArgumentException unreadable(Path file, String why, Exception cause) {
    return new IllegalArgumentException(
        "the credentials file %s is not {\"url\": …, \"key\": …}: %s".formatted(file, why), cause);
  }

  /** Replaces the file in one step; only its owner can read it. */
  public void write(Path file) throws IOException {
    Path dir = file.toAbsolutePath().getParent();
    if (dir == null) {
      throw new IOException("no directory above " + file);
    }
    if (!Files.isDirectory(dir)) {
      Files.createDirectories(
          dir, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    Path temporary = dir.resolve("." + file.getFileName() + "." + ProcessHandle.current().pid());
    Files.deleteIfExists(temporary);
    try (var out =
        Files.newByteChannel(
            temporary,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      var bytes = java.nio.ByteBuffer.wrap(Json.mapper().writeValueAsBytes(this));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    }
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public String toString() {
    return "Credentials[" + url + "]";
  }
}
