// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.ExecListener;
import io.dsec.link.ExecListener.Stream;
import io.dsec.model.Bytes;
import io.dsec.model.ExecResult;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import tools.jackson.databind.JsonNode;

/** Follows the lines of one streaming exec to its end. */
final class ExecStream {
  private ExecStream() {}

  /** Tells {@code listener} of each line; the result has no output in it. */
  static ExecResult follow(InputStream in, ExecListener listener) throws IOException {
    LineReader lines = new LineReader(in);
    OutputLine output = new OutputLine();
    while (lines.next()) {
      Stream stream = output.parse(lines.buffer(), lines.start(), lines.end());
      if (stream != null) {
        listener.output(stream, output.offset(), output.data());
      } else if (lines.end() > lines.start()) {
        JsonNode line = Replies.mapper().readTree(lines.text());
        if (line.has("end")) {
          return ExecWire.result(line.path("end"));
        }
        tell(line, listener);
      }
    }
    throw new EOFException("the stream ended without an \"end\" line");
  }

  private static void tell(JsonNode line, ExecListener listener) {
    if (line.has("start")) {
      listener.started(line.path("start").path("id").asString(""));
      return;
    }
    for (Stream stream : Stream.values()) {
      String bytes = Replies.text(line, io.dsec.link.Json.lower(stream));
      if (bytes != null) {
        listener.output(stream, line.path("offset").asLong(0), Bytes.base64(bytes).buffer());
      }
    }
  }
}
