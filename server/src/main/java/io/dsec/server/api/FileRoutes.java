// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.FileContent;
import io.dsec.link.FileRange;
import io.dsec.link.Json;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.FileEntry;
import io.dsec.model.FileType;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.ObjectWriter;

/** {@code /sandboxes/{id}/files}: the content of files, as it is and of any length. */
final class FileRoutes {
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");
  private static final int CHUNK = 128 << 10;
  private static final ObjectWriter ASCII =
      Json.mapper().writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);

  private final Execs execs;

  FileRoutes(Execs execs) {
    this.execs = execs;
  }

  /** With {@code stat} set the file's description, else its content or a range of it. */
  void read(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Bytes path = FilePlace.inQuery(exchange, "path");
    Optional<String> user = exchange.query("user");
    if (exchange.flag("stat")) {
      exchange.reply(200, EntryReply.of(stat(exchange)));
      return;
    }
    Optional<FileRange> range = exchange.header(HeaderNames.RANGE).flatMap(FileRoutes::range);
    FileRange part = range.orElse(FileRange.WHOLE);
    execs.tell(
        exchange.caller(),
        id,
        node -> {
          try (FileContent content = node.files(id, user).read(path, part)) {
            send(exchange, content, range.isPresent());
          }
        });
  }

  private FileEntry stat(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Bytes path = FilePlace.inQuery(exchange, "path");
    boolean follow = exchange.query("follow").filter("false"::equals).isEmpty();
    return execs.during(
        exchange.caller(), id, node -> node.files(id, exchange.query("user")).stat(path, follow));
  }

  /** The description of any file, in headers. */
  void head(Exchange exchange) throws IOException, InterruptedException {
    FileEntry entry = stat(exchange);
    describe(exchange, entry);
    exchange.headOnly(
        entry.type() == FileType.FILE ? OptionalLong.of(entry.size()) : OptionalLong.empty());
  }

  private static void describe(Exchange exchange, FileEntry entry) {
    exchange.replyHeader("Accept-Ranges", "bytes");
    exchange.replyHeader(
        "Last-Modified",
        DateTimeFormatter.RFC_1123_DATE_TIME.format(entry.modifiedAt().atOffset(ZoneOffset.UTC)));
    exchange.replyHeader("Dsec-Entry", ASCII.writeValueAsString(EntryReply.of(entry)));
  }

  private static void send(Exchange exchange, FileContent content, boolean ranged)
      throws IOException {
    long size = content.entry().size();
    if (content.from() < 0) {
      exchange.replyHeader("Content-Range", "bytes */" + size);
      throw DsecException.of(
              ErrorCode.RANGE_NOT_SATISFIABLE, "the file has %d bytes only".formatted(size))
          .withField("range");
    }
    describe(exchange, content.entry());
    boolean partial = ranged && content.count() > 0;
    if (partial) {
      long last = content.from() + content.count() - 1;
      exchange.replyHeader("Content-Range", "bytes %d-%d/%d".formatted(content.from(), last, size));
    }
    byte[] buffer = new byte[(int) Math.min(CHUNK, content.count() + 1)];
    InputStream in = content.bytes();
    // Closed at its end alone: what breaks off must not look complete.
    OutputStream out =
        exchange.stream(partial ? 206 : 200, Exchange.BYTES, OptionalLong.of(content.count()));
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      out.write(buffer, 0, n);
    }
    out.close();
  }

  /** Nothing for what is no single range: then the whole file is the answer. */
  static Optional<FileRange> range(String header) {
    Matcher m = RANGE.matcher(header.strip());
    if (!m.matches() || (m.group(1).isEmpty() && m.group(2).isEmpty())) {
      return Optional.empty();
    }
    if (m.group(1).isEmpty()) {
      long last = Long.parseLong(m.group(2));
      return Optional.of(last == 0 ? new FileRange(Long.MAX_VALUE, 1) : new FileRange(-last, 0));
    }
    long first = Long.parseLong(m.group(1));
    if (m.group(2).isEmpty()) {
      return Optional.of(new FileRange(first, 0));
    }
    long last = Long.parseLong(m.group(2));
    return last < first ? Optional.empty() : Optional.of(new FileRange(first, last - first + 1));
  }

  void write(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Bytes path = FilePlace.inQuery(exchange, "path");
    Optional<Integer> mode = FilePlace.mode(exchange.query("mode").orElse(null));
    OptionalInt bits = mode.map(OptionalInt::of).orElse(OptionalInt.empty());
    FileEntry entry =
        execs.during(
            exchange.caller(),
            id,
            node -> {
              try (InputStream content = exchange.exactBodyStream()) {
                return node.files(id, exchange.query("user")).write(path, bits, content);
              } catch (IOException e) {
                throw ExactInput.cut(e);
              }
            });
    exchange.reply(200, EntryReply.of(entry));
  }

  void remove(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Bytes path = FilePlace.inQuery(exchange, "path");
    boolean recursive = exchange.flag("recursive");
    execs.tell(
        exchange.caller(),
        id,
        node -> node.files(id, exchange.query("user")).remove(path, recursive));
    exchange.noContent();
  }
}
