// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dsec.model.DsecException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BatchEventsTest {
  private final List<Duration> waits = new ArrayList<>();

  @Test
  void goesOnBehindTheLastEventAfterABreak() throws Exception {
    try (CannedServer server = new CannedServer()) {
      server.reply(
          200,
          "text/event-stream",
          Map.of(),
          ": hello\n\nid: 1\nevent: task\ndata: {\"a\":\ndata: 1}\n\nid: 2\ndata: cut of");
      server.json(503, "{\"error\": {\"code\": \"no_capacity\", \"message\": \"stopping\"}}");
      server.reply(200, "text/event-stream", Map.of(), "id: 2\r\nevent: end\r\ndata: {}\r\n\r\n");
      try (BatchEvents events = events(server)) {
        assertThat(events.next()).isEqualTo(new BatchEvent("1", "task", "{\"a\":\n1}"));
        assertThat(events.next()).isEqualTo(new BatchEvent("2", "end", "{}"));
      }
      assertThat(server.asked().get(2).headers()).containsEntry("Last-event-id", List.of("1"));
      assertThat(waits).containsExactly(Duration.ofMillis(200), Duration.ofMillis(400));
    }
  }

  @Test
  void aBatchThatDoesNotExistIsNotAskedForAgain() throws Exception {
    try (CannedServer server = new CannedServer();
        BatchEvents events = events(server)) {
      server.json(404, "{\"error\": {\"code\": \"not_found\", \"message\": \"no batch\"}}");
      assertThatExceptionOfType(DsecException.class).isThrownBy(events::next);
      assertThat(waits).isEmpty();
    }
  }

  @Test
  void givesUpWhenTenTriesBroughtNothing() throws Exception {
    CannedServer server = new CannedServer();
    BatchEvents events = events(server);
    server.close();
    assertThatExceptionOfType(LostConnectionException.class).isThrownBy(events::next);
    assertThat(waits).hasSize(9).endsWith(Duration.ofSeconds(5)).startsWith(Duration.ofMillis(200));
  }

  private BatchEvents events(CannedServer server) {
    return new BatchEvents(
        new Transport(new Endpoint(server.url(), "k")), "/v1/batches/b-1/events", waits::add);
  }
}
