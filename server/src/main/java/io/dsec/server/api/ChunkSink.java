// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.helidon.common.GenericType;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import io.helidon.http.DateTime;
import io.helidon.http.Header;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http.spi.Sink;
import io.helidon.webserver.http.spi.SinkProviderContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A reply of unknown length, for much data: each piece is written as one HTTP chunk, straight from
 * the array that it was put together in. Helidon's output stream would allocate, clear and copy
 * each. The head goes out with the first piece.
 */
final class ChunkSink implements Sink<ByteBuffer> {
  static final GenericType<ChunkSink> TYPE = GenericType.create(ChunkSink.class);

  /** Bytes that {@link #emit} needs free before a piece: eight hexadecimal digits, CR, LF. */
  static final int BEFORE = 10;

  /** And behind it: CR, LF. */
  static final int BEHIND = 2;

  private static final byte[] LAST = ascii("0\r\n\r\n");

  private final ServerResponse response;
  private final DataWriter out;
  private final Runnable done;
  private boolean begun;

  ChunkSink(SinkProviderContext context) {
    this.response = context.serverResponse();
    this.out = context.connectionContext().dataWriter();
    this.done = context.closeRunnable();
  }

  /**
   * Writes what lies between position and limit; not empty, in an array that has {@link #BEFORE}
   * and {@link #BEHIND} bytes of room around it, which are overwritten.
   */
  @Override
  public ChunkSink emit(ByteBuffer piece) {
    byte[] array = piece.array();
    int end = piece.arrayOffset() + piece.limit();
    int start = piece.arrayOffset() + piece.position();
    byte[] size = ascii(Integer.toHexString(piece.remaining()) + "\r\n");
    start -= size.length;
    System.arraycopy(size, 0, array, start, size.length);
    array[end++] = '\r';
    array[end++] = '\n';
    begin();
    out.writeNow(BufferData.create(array, start, end - start));
    return this;
  }

  private void begin() {
    if (begun) {
      return;
    }
    begun = true;
    BufferData head = BufferData.growing(256);
    head.write(ascii("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"));
    head.write(ascii("Date: "));
    head.write(DateTime.http1Bytes());
    for (Header header : response.headers()) {
      header.writeHttp1Header(head);
    }
    head.write(ascii("\r\n"));
    out.writeNow(head);
  }

  @Override
  public void close() {
    begin();
    out.writeNow(BufferData.create(LAST));
    done.run();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
