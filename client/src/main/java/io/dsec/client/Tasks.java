// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.util.Map;

/** Calls about tasks. */
public final class Tasks {
  private static final String BASE = "/v1/tasks";
  private final Transport transport;

  Tasks(Transport transport) {
    this.transport = transport;
  }

  public Task create(TaskRequest request) {
    return Replies.as(transport.json("POST", BASE, request.toJson(), null), Task.class);
  }

  public Task get(String id) {
    return Replies.as(transport.json("GET", path(id), null, DsecClient.CALL), Task.class);
  }

  /** Cancels it; does nothing when it has ended. */
  public void cancel(String id) {
    transport.json("DELETE", path(id), null, DsecClient.CALL);
  }

  /** Tells the server that somebody still wants the result. */
  public void heartbeat(String id) {
    transport.json("POST", path(id) + "/heartbeat", Map.of(), DsecClient.CALL);
  }

  private static String path(String id) {
    return BASE + "/" + Query.segment(id);
  }
}
