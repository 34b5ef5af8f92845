// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Ids;
import io.dsec.server.observe.Meters;
import io.dsec.server.tenant.Caller;
import io.dsec.server.tenant.KeyRing;
import io.dsec.server.tenant.Role;
import io.helidon.common.socket.PeerInfo;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every call passes: the Host check, the key, the drain at a stop, the request id, the timing,
 * and the turn of errors into replies.
 */
final class Gate {
  private static final Logger LOG = LoggerFactory.getLogger(Gate.class);
  private static final Caller NOBODY = new Caller("", "", Role.USER);

  private final KeyRing keys;
  private final HostCheck hosts;
  private final Drain drain;
  private final Meters meters;
  private final RandomGenerator random;
  private final long maxBody;

  Gate(
      KeyRing keys,
      HostCheck hosts,
      Drain drain,
      Meters meters,
      RandomGenerator random,
      long maxBody) {
    this.keys = keys;
    this.hosts = hosts;
    this.drain = drain;
    this.meters = meters;
    this.random = random;
    this.maxBody = maxBody;
  }

  Handler handler(String route, Access access, Call call) {
    return (request, response) -> {
      long begin = System.nanoTime();
      Exchange exchange = new Exchange(request, response, requestId(), NOBODY, maxBody);
      boolean entered = false;
      try {
        hosts.check(request.headers(), request.authority());
        Caller caller = caller(request.headers(), request.remotePeer(), access);
        exchange = new Exchange(request, response, exchange.id(), caller, maxBody);
        if (access != Access.ANYONE) {
          drain.enter();
          entered = true;
        }
        call.handle(exchange);
      } catch (DsecException e) {
        refuse(exchange, response, route, e);
      } catch (Exception | StackOverflowError e) {
        if (exchange.replied()) {
          LOG.debug("{} {}: the client is gone: {}", exchange.id(), route, e.toString());
          throw e;
        }
        refuse(exchange, response, route, ErrorReply.unforeseen(e));
      } finally {
        if (entered) {
          drain.leave();
        }
        meters.request(route, response.status().code(), (System.nanoTime() - begin) / 1e9);
      }
      if (exchange.isLast()) {
        // Helidon 4.5.0 would announce the close and then wait for the next request
        if (response instanceof RoutingResponse open) {
          open.commit(); // the end of a stream
        }
        throw new CloseConnectionException("no request follows");
      }
    };
  }

  /** A call that no handler here answered. */
  void count(String route, int status, long nanos) {
    meters.request(route, status, nanos / 1e9);
  }

  String requestId() {
    return "r-" + Ids.letters(random, 12);
  }

  /** The checks of a call that no handler here answers: a key is needed. */
  Caller admit(Headers headers, PeerInfo peer) {
    hosts.check(headers, "");
    if (drain.closed()) {
      throw stopping();
    }
    return caller(headers, peer, Access.KEY);
  }

  private Caller caller(Headers headers, PeerInfo peer, Access access) {
    if (access == Access.ANYONE) {
      return NOBODY;
    }
    Optional<String> header = headers.first(HeaderNames.AUTHORIZATION);
    if (header.isEmpty() && access == Access.LOCAL_OR_KEY && hosts.isLocal(peer)) {
      return NOBODY;
    }
    String text = header.orElse("");
    if (!text.regionMatches(true, 0, "Bearer ", 0, 7)) {
      throw DsecException.of(ErrorCode.UNAUTHORIZED, "the request has no API key")
          .withHint("send Authorization: Bearer KEY; `dsec up` writes one to DATA/admin-key");
    }
    Caller caller = keys.caller(text.substring(7).strip());
    if (access == Access.ADMIN && caller.role() != Role.ADMIN) {
      throw DsecException.of(ErrorCode.FORBIDDEN, "this call needs a key with the role admin");
    }
    return caller;
  }

  private static void refuse(
      Exchange exchange, ServerResponse response, String route, DsecException error) {
    log(exchange.id(), route, error);
    if (exchange.replied()) {
      throw error;
    }
    response.header("Dsec-Error", error.code().code());
    ErrorReply.retryAfter(error).ifPresent(v -> response.header("Retry-After", v));
    if (error.code() == ErrorCode.UNAUTHORIZED) {
      response.header("WWW-Authenticate", "Bearer");
    }
    exchange.reply(error.code().status(), ErrorReply.of(error, exchange.id()));
  }

  static void log(String id, String route, DsecException error) {
    if (error.code() == ErrorCode.INTERNAL) {
      LOG.error("{} {} failed", id, route, error);
    } else {
      LOG.debug("{} {}: {} {}", id, route, error.code().code(), error.message());
    }
  }

  /** For replies that say when to come again. */
  static DsecException stopping() {
    return DsecException.of(ErrorCode.NO_CAPACITY, "the server is stopping")
        .withRetryAfter(Duration.ofSeconds(5));
  }
}
