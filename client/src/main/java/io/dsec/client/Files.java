// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.Bytes;
import io.dsec.model.SandboxId;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Calls about the files of one sandbox, as one of its users. Paths are absolute and resolve as for
 * a process of that user inside.
 */
public final class Files {
  private static final long UNKNOWN = -1;

  private final Transport transport;
  private final String base;
  private final @Nullable String user;

  Files(Transport transport, SandboxId sandbox, @Nullable String user) {
    this.transport = transport;
    this.base = "/v1/sandboxes/" + sandbox.value();
    this.user = user;
  }

  /** What a path leads to; links are followed. */
  public FileInfo stat(String path) {
    return info("GET", at("/files", path).with("stat", true));
  }

  /** The content, as it comes; the caller closes it. */
  public InputStream read(String path) {
    return transport.stream("GET", at("/files", path).toString(), null, Map.of());
  }

  /** {@code count} bytes from {@code from} on, or what there is of them. */
  public InputStream read(String path, long from, long count) {
    String range = "bytes=%d-%d".formatted(from, from + count - 1);
    return transport.stream("GET", at("/files", path).toString(), null, Map.of("Range", range));
  }

  /** Replaces a file once all of its content has arrived. */
  public FileInfo write(String path, Bytes content) {
    return write(path, content.stream(), content.length(), null);
  }

  /**
   * Replaces a file once all of its content has arrived.
   *
   * @param length negative when it is not known
   * @param mode octal; null keeps that of the file replaced, or is 0644
   */
  public FileInfo write(String path, InputStream content, long length, @Nullable String mode) {
    return Replies.as(
        transport.upload("PUT", at("/files", path).with("mode", mode).toString(), content, length),
        FileInfo.class);
  }

  /** In the order of the names' bytes. */
  public List<FileInfo> list(String path) {
    return Pages.all(transport, at("/directory", path), "entries").stream()
        .map(node -> Replies.as(node, FileInfo.class))
        .toList();
  }

  /** {@code parents}: makes them too, and a directory that exists is fine. */
  public FileInfo makeDirectory(String path, boolean parents) {
    return Replies.as(post("mkdir", Map.of("path", path, "parents", parents)), FileInfo.class);
  }

  /** Replaces what is at {@code to}. */
  public FileInfo move(String from, String to) {
    return Replies.as(post("move", Map.of("from", from, "to", to)), FileInfo.class);
  }

  public void remove(String path, boolean recursive) {
    String call = at("/files", path).with("recursive", recursive ? true : null).toString();
    transport.json("DELETE", call, null, null);
  }

  public void changeMode(String path, String mode, boolean recursive) {
    post("chmod", Map.of("path", path, "mode", mode, "recursive", recursive));
  }

  /** {@code owner} is {@code user}, {@code user:group} or {@code :group}. */
  public void changeOwner(String path, String owner, boolean recursive) {
    post("chown", Map.of("path", path, "owner", owner, "recursive", recursive));
  }

  /** Changes as JSON lines, until it is closed. */
  public LineStream watch(String path, boolean recursive) {
    String call = at("/files/watch", path).with("recursive", recursive ? true : null).toString();
    return new LineStream(
        transport.stream("GET", call, null, Map.of("Accept", Transport.NDJSON)),
        transport,
        "GET " + call);
  }

  /** A directory's content, or one file, as tar; the caller closes it. */
  public InputStream pack(String path) {
    return transport.stream("GET", at("/archive", path).toString(), null, Map.of());
  }

  /** Unpacks a tar into a directory, which is made when absent; returns its entries. */
  public long unpack(String path, InputStream archive) {
    return transport
        .upload("PUT", at("/archive", path).toString(), archive, UNKNOWN)
        .path("entries")
        .asLong(0);
  }

  private FileInfo info(String method, Query call) {
    return Replies.as(
        transport.json(method, call.toString(), null, DsecClient.CALL), FileInfo.class);
  }

  private tools.jackson.databind.JsonNode post(String call, Map<String, ?> fields) {
    Map<String, Object> body = new TreeMap<>(fields);
    if (user != null) {
      body.put("user", user);
    }
    return transport.json("POST", base + "/files/" + call, body, null);
  }

  private Query at(String call, String path) {
    return Query.of(base + call).with("path", path).with("user", user);
  }
}
