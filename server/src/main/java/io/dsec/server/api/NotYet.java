// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import java.util.List;
import java.util.Set;

/** Fields of a create request that are known and not offered yet: refused by name. */
final class NotYet {
  private NotYet() {}

  static void check(CreateRequest r) {
    refuse(r.layers() != null && !r.layers().isEmpty(), "layers");
    refuse(Boolean.TRUE.equals(r.entrypoint()), "entrypoint");
    refuse(r.mounts() != null && !r.mounts().isEmpty(), "mounts");
    refuse(r.probe() != null && !r.probe().isNull(), "probe");
    if (r.restart() != null && !r.restart().equals("never")) {
      refuse(r.restart().equals("when_hung"), "restart");
      throw DsecException.invalid("restart", "restart is never or when_hung");
    }
    if (r.network() != null) {
      network(r.network());
    }
    if (r.timeouts() != null) {
      refuse(r.timeouts().connect() != null, "timeouts.connect");
      refuse(r.timeouts().read() != null, "timeouts.read");
    }
    if (r.record() != null && r.record().mode() != null) {
      String mode = r.record().mode();
      refuse(mode.equals("deterministic"), "record.mode");
      oneOf("record.mode", mode, Set.of("on", "off"));
    }
  }

  private static void network(CreateRequest.NetworkRequest network) {
    List<String> allow = network.allow();
    refuse(allow != null && !allow.isEmpty(), "network.allow");
    refuse(network.group() != null, "network.group");
    if (network.mode() != null) {
      refuse(network.mode().equals("group"), "network.mode");
      oneOf("network.mode", network.mode(), Set.of("gateway", "none"));
    }
  }

  private static void oneOf(String field, String value, Set<String> known) {
    if (!known.contains(value)) {
      throw DsecException.invalid(
          field, "%s is \"%s\"; it must be one of %s".formatted(field, value, known));
    }
  }

  private static void refuse(boolean asked, String field) {
    if (asked) {
      throw DsecException.notSupported(field, "this release does not have " + field + " yet");
    }
  }
}
