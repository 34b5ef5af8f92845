// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.Endpoint;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A driver as load generators have it: one kept connection, blocking, no client library, so that
 * the figures are the server's. What a client library adds is measured apart, by {@code sdk}.
 */
final class Wire implements AutoCloseable {
  private static final Pattern ID = Pattern.compile("\"id\":\"(sb-[a-z0-9]+)\"");
  private static final int PIECE = 256 << 10;
  private static final String TRUE = "{\"argv\":[\"true\"]}";

  private final Socket socket;
  private final InputStream in;
  private final String common;

  Wire(Endpoint endpoint) throws IOException {
    socket = new Socket(endpoint.url().getHost(), endpoint.url().getPort());
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    common =
        " HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
            .formatted(endpoint.url().getAuthority(), endpoint.key());
  }

  /** Returns the new sandbox's id once it runs; {@code resources}: JSON. */
  String create(String resources) throws IOException {
    String request =
        "{\"image\":\"host\",\"resources\":%s,\"wait\":true,\"wait_timeout\":\"60s\"}"
            .formatted(resources);
    String reply = call("POST", "/v1/sandboxes", request, 201);
    Matcher id = ID.matcher(reply);
    if (!id.find() || !reply.contains("\"running\"")) {
      throw new IOException("a create was answered with " + reply);
    }
    return id.group(1);
  }

  /** Runs {@code true} in it. */
  void exec(String sandbox) throws IOException {
    String reply = call("POST", "/v1/sandboxes/" + sandbox + "/exec", TRUE, 200);
    if (!reply.contains("\"kind\":\"exited\",\"code\":0,")) {
      throw new IOException("an exec of true was answered with " + reply);
    }
  }

  void delete(String sandbox) throws IOException {
    String _ = call("DELETE", "/v1/sandboxes/" + sandbox + "?grace=0", "", 204);
  }

  /** The body of the reply. */
  String call(String method, String path, String body, int status) throws IOException {
    write(head(method, path, "application/json", body.length()) + body);
    return reply(method + " " + path, status);
  }

  /** As {@link #call}, with a file as the body. */
  String upload(String path, Path file) throws IOException {
    write(head("PUT", path, "application/octet-stream", Files.size(file)));
    byte[] buffer = new byte[PIECE];
    try (InputStream content = Files.newInputStream(file)) {
      for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
        socket.getOutputStream().write(buffer, 0, count);
      }
    }
    return reply("PUT " + path, 200);
  }

  private String head(String method, String path, String type, long length) {
    return "%s %s%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(method, path, common, type, length);
  }

  private void write(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private String reply(String call, int status) throws IOException {
    String line = line();
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(15).strip());
      }
    }
    byte[] reply = in.readNBytes(length);
    String text = new String(reply, StandardCharsets.UTF_8);
    if (!line.startsWith("HTTP/1.1 " + status + " ") || reply.length < length) {
      throw new IOException("%s was answered with %s: %s".formatted(call, line, text));
    }
    return text;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
