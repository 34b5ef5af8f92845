// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.server.tenant.Caller;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.uri.UriQuery;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.webserver.ConnectionContext;
import java.util.List;
import java.util.Optional;

/** A request that asks for a WebSocket. */
final class Upgrade {
  private final ConnectionContext context;
  private final HttpPrologue prologue;
  private final Headers headers;
  private final Gate gate;
  private final String id;
  private final long begin = System.nanoTime();

  Upgrade(ConnectionContext context, HttpPrologue prologue, Headers headers, Gate gate) {
    this.context = context;
    this.prologue = prologue;
    this.headers = headers;
    this.gate = gate;
    this.id = gate.requestId();
  }

  String id() {
    return id;
  }

  /** By {@link System#nanoTime}. */
  long begin() {
    return begin;
  }

  ConnectionContext context() {
    return context;
  }

  HttpPrologue prologue() {
    return prologue;
  }

  Headers headers() {
    return headers;
  }

  /** To the client, at its pace. */
  void write(byte[] bytes) {
    context.dataWriter().writeNow(BufferData.create(bytes));
  }

  String path() {
    return prologue.uriPath().path();
  }

  /** Behind the checks that every call passes. */
  Caller caller() {
    return gate.admit(headers, context.remotePeer());
  }

  Optional<String> query(String name) {
    return queries(name).stream().findFirst();
  }

  List<String> queries(String name) {
    UriQuery query = prologue.query();
    return query.contains(name) ? query.all(name) : List.of();
  }

  int number(String name, int byDefault) {
    Optional<String> text = query(name);
    try {
      return text.map(Integer::parseInt).orElse(byDefault);
    } catch (NumberFormatException _) {
      throw DsecException.invalid(
          name, "%s is \"%s\"; it must be a whole number".formatted(name, text.orElse("")));
    }
  }
}
