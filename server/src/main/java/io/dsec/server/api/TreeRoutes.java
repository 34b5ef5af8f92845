// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.FilePage;
import io.dsec.link.SandboxFiles;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import java.io.IOException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Names, modes and owners of files: {@code …/directory} and {@code …/files/move} and the like. */
final class TreeRoutes {
  private static final int LIMIT = 1000;
  private static final int MAX_LIMIT = 10_000;
  private static final int DIRECTORY_MODE = 0755;

  private final Execs execs;

  TreeRoutes(Execs execs) {
    this.execs = execs;
  }

  /** {@code overwrite} is true unless it is given. */
  record MoveRequest(
      @Nullable String from,
      @Nullable String fromBase64,
      @Nullable String to,
      @Nullable String toBase64,
      @Nullable Boolean overwrite,
      @Nullable String user) {}

  record MakeRequest(
      @Nullable String path,
      @Nullable String pathBase64,
      @Nullable String mode,
      @Nullable Boolean parents,
      @Nullable String user) {}

  record ModeRequest(
      @Nullable String path,
      @Nullable String pathBase64,
      @Nullable String mode,
      @Nullable Boolean recursive,
      @Nullable String user) {}

  record OwnerRequest(
      @Nullable String path,
      @Nullable String pathBase64,
      @Nullable String owner,
      @Nullable Boolean recursive,
      @Nullable String user) {}

  private <T> T with(Exchange exchange, @Nullable String user, Function<SandboxFiles, T> call)
      throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Optional<String> as = Optional.ofNullable(user).or(() -> exchange.query("user"));
    return execs.during(exchange.caller(), id, node -> call.apply(node.files(id, as)));
  }

  private void tell(Exchange exchange, @Nullable String user, Consumer<SandboxFiles> order)
      throws IOException, InterruptedException {
    boolean _ =
        with(
            exchange,
            user,
            files -> {
              order.accept(files);
              return true;
            });
  }

  void list(Exchange exchange) throws IOException, InterruptedException {
    Bytes path = FilePlace.inQuery(exchange, "path");
    int limit = (int) exchange.number("limit", LIMIT, MAX_LIMIT);
    Bytes after = exchange.query("cursor").map(TreeRoutes::name).orElse(Bytes.EMPTY);
    FilePage page = with(exchange, null, files -> files.list(path, after, Math.max(1, limit)));
    Map<String, @Nullable Object> reply = new LinkedHashMap<>();
    reply.put("entries", page.entries().stream().map(EntryReply::of).toList());
    boolean more = page.more() && !page.entries().isEmpty();
    reply.put("next_cursor", more ? cursor(page.entries().getLast().name()) : null);
    exchange.reply(200, reply);
  }

  private static String cursor(Bytes name) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(name.toArray());
  }

  private static Bytes name(String cursor) {
    try {
      return Bytes.wrap(Base64.getUrlDecoder().decode(cursor));
    } catch (IllegalArgumentException _) {
      throw DsecException.invalid("cursor", "cursor is none that a listing has given");
    }
  }

  void move(Exchange exchange) throws IOException, InterruptedException {
    MoveRequest request = Bodies.read(exchange.body(), MoveRequest.class);
    Bytes from = FilePlace.inBody("from", request.from(), request.fromBase64());
    Bytes to = FilePlace.inBody("to", request.to(), request.toBase64());
    boolean keep = Boolean.FALSE.equals(request.overwrite());
    exchange.reply(
        200, with(exchange, request.user(), files -> EntryReply.of(files.move(from, to, keep))));
  }

  void make(Exchange exchange) throws IOException, InterruptedException {
    MakeRequest request = Bodies.read(exchange.body(), MakeRequest.class);
    Bytes path = FilePlace.inBody("path", request.path(), request.pathBase64());
    int mode = FilePlace.mode(request.mode()).orElse(DIRECTORY_MODE);
    boolean parents = Boolean.TRUE.equals(request.parents());
    exchange.reply(
        200,
        with(
            exchange,
            request.user(),
            files -> EntryReply.of(files.makeDirectory(path, mode, parents))));
  }

  void changeMode(Exchange exchange) throws IOException, InterruptedException {
    ModeRequest request = Bodies.read(exchange.body(), ModeRequest.class);
    Bytes path = FilePlace.inBody("path", request.path(), request.pathBase64());
    int mode =
        FilePlace.mode(request.mode())
            .orElseThrow(() -> DsecException.invalid("mode", "mode is missing"));
    boolean recursive = Boolean.TRUE.equals(request.recursive());
    tell(exchange, request.user(), files -> files.changeMode(path, mode, recursive));
    exchange.noContent();
  }

  void changeOwner(Exchange exchange) throws IOException, InterruptedException {
    OwnerRequest request = Bodies.read(exchange.body(), OwnerRequest.class);
    Bytes path = FilePlace.inBody("path", request.path(), request.pathBase64());
    String owner = request.owner();
    if (owner == null || owner.isEmpty()) {
      throw DsecException.invalid("owner", "owner is missing; give \"user\" or \"user:group\"");
    }
    boolean recursive = Boolean.TRUE.equals(request.recursive());
    tell(exchange, request.user(), files -> files.changeOwner(path, owner, recursive));
    exchange.noContent();
  }
}
