// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.ExecListener;
import io.dsec.link.Json;
import io.dsec.server.exec.ExecReply;
import io.helidon.webserver.http.spi.Sink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * The binary form: records of a header of {@value #HEADER} bytes and a body. {@code "hi"} at offset
 * 5 of stderr:
 *
 * <pre>
 *   02 01 00 00  00 00 00 02  00 00 00 00 00 00 00 05  68 69
 * </pre>
 *
 * A record is put together in one reused buffer, which grows to the largest piece and leaves room
 * for what frames it, and written in one go.
 */
final class RecordEncoder implements ExecEncoder {
  static final int HEADER = 16;
  static final byte START = 1;
  static final byte OUTPUT = 2;
  static final byte HEARTBEAT = 3;
  static final byte END = 4;

  private static final int INITIAL = 4 << 10;

  private final Sink<ByteBuffer> out;
  private ByteBuffer record = ByteBuffer.allocate(INITIAL);

  RecordEncoder(Sink<ByteBuffer> out) {
    this.out = out;
  }

  @Override
  public void start(String id) throws IOException {
    json(START, Map.of("id", id));
  }

  @Override
  public void output(ExecListener.Stream stream, long offset, ByteBuffer data) throws IOException {
    write(OUTPUT, stream == ExecListener.Stream.STDOUT ? 0 : 1, offset, data);
  }

  @Override
  public void heartbeat() throws IOException {
    write(HEARTBEAT, 0, 0, ByteBuffer.allocate(0));
  }

  @Override
  public void end(ExecReply reply) throws IOException {
    json(END, reply);
  }

  private void json(byte kind, Object value) throws IOException {
    write(kind, 0, 0, ByteBuffer.wrap(Json.mapper().writeValueAsBytes(value)));
  }

  private void write(byte kind, int stream, long offset, ByteBuffer body) throws IOException {
    int room = ChunkSink.BEFORE + HEADER + body.remaining() + ChunkSink.BEHIND;
    if (record.capacity() < room) {
      record = ByteBuffer.allocate(Math.max(room, 2 * record.capacity()));
    }
    record.clear().position(ChunkSink.BEFORE).mark();
    record.put(kind).put((byte) stream).putShort((short) 0);
    record.putInt(body.remaining()).putLong(offset).put(body);
    Sink<ByteBuffer> _ = out.emit(record.limit(record.position()).reset());
  }

  @Override
  public void close() throws IOException {
    try {
      out.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
