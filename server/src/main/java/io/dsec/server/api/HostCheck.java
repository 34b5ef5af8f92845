// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.helidon.common.socket.PeerInfo;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * On loopback a page in the user's browser could reach this server under a name of its own; so a
 * {@code Host} that is not the machine itself is refused there.
 */
final class HostCheck {
  private final boolean loopback;
  private final Set<String> known;

  HostCheck(String listenHost, List<String> further) {
    this.loopback = isLoopback(listenHost);
    this.known = new HashSet<>(List.of("localhost", "127.0.0.1", "[::1]", listenHost));
    further.forEach(h -> known.add(h.toLowerCase(Locale.ROOT)));
  }

  /** {@code authority}: where there is no Host. */
  void check(Headers headers, String authority) {
    if (!loopback) {
      return;
    }
    String host = headers.first(HeaderNames.HOST).orElse(authority);
    if (!known.contains(name(host))) {
      throw DsecException.of(
              ErrorCode.FORBIDDEN, "the Host \"%s\" is not this server's".formatted(host))
          .withHint("use http://127.0.0.1 or http://localhost");
    }
  }

  /** The request came from this machine, straight. */
  boolean isLocal(PeerInfo from) {
    return from.address() instanceof InetSocketAddress peer
        && peer.getAddress().isLoopbackAddress();
  }

  private static String name(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    int colon = lower.lastIndexOf(':');
    return colon > lower.lastIndexOf(']') && colon >= 0 ? lower.substring(0, colon) : lower;
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException _) {
      return false;
    }
  }
}
