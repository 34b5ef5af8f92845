// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.helidon.common.GenericType;
import io.helidon.common.media.type.MediaType;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http.spi.Sink;
import io.helidon.webserver.http.spi.SinkProvider;
import io.helidon.webserver.http.spi.SinkProviderContext;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/** Lets Helidon make a {@link ChunkSink}; found by it as a service. */
public final class ChunkSinkProvider implements SinkProvider<ByteBuffer> {
  @Override
  public boolean supports(GenericType<? extends Sink<?>> type, ServerRequest request) {
    return type.equals(ChunkSink.TYPE);
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // after supports() said yes
  public <X extends Sink<ByteBuffer>> X create(SinkProviderContext context) {
    return (X) new ChunkSink(context);
  }

  @Override
  @SuppressWarnings({"removal", "TypeParameterUnusedInFormals"})
  public <X extends Sink<ByteBuffer>> X create(
      ServerResponse response, BiConsumer<Object, MediaType> consumer, Runnable done) {
    throw new UnsupportedOperationException("replaced by the form with a context");
  }
}
