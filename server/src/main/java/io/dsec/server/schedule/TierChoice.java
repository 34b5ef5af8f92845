// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Isolation;
import io.dsec.model.Tier;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Resolves {@code isolation} to a tier: by name, or for {@code auto} the weakest that the traits
 * allow. Never less isolation than was asked for.
 */
public final class TierChoice {
  public static final Set<String> TRAITS =
      Set.of(
          "runs_model_code", "parses_untrusted_files", "external_callbacks", "syscall_sensitive");

  private TierChoice() {}

  public static Tier resolve(Isolation isolation, Set<String> traits, List<Member> nodes) {
    Tier wanted =
        switch (isolation) {
          case CONTAINER -> Tier.CONTAINER;
          case GVISOR -> Tier.GVISOR;
          case MICROVM -> Tier.MICROVM;
          case AUTO -> fromTraits(traits);
        };
    List<Tier> enough =
        isolation == Isolation.AUTO && wanted == Tier.GVISOR
            ? List.of(Tier.GVISOR, Tier.MICROVM)
            : List.of(wanted);
    for (Tier tier : enough) {
      if (nodes.stream().anyMatch(n -> n.info().tiers().contains(tier))) {
        return tier;
      }
    }
    throw DsecException.of(
            ErrorCode.TIER_UNAVAILABLE,
            "no node offers %s%s".formatted(lower(wanted), why(wanted, nodes)))
        .withField("isolation")
        .withHint("`dsec doctor` shows which tiers a host can offer and why not");
  }

  private static Tier fromTraits(Set<String> traits) {
    if (traits.contains("runs_model_code")
        || traits.contains("parses_untrusted_files")
        || traits.contains("external_callbacks")) {
      return Tier.MICROVM;
    }
    return traits.contains("syscall_sensitive") ? Tier.GVISOR : Tier.CONTAINER;
  }

  private static String why(Tier tier, List<Member> nodes) {
    return nodes.stream()
        .flatMap(n -> n.info().unavailable().entrySet().stream())
        .filter(e -> e.getKey() == tier)
        .map(e -> ": " + e.getValue())
        .findFirst()
        .orElse("");
  }

  private static String lower(Tier tier) {
    return tier.name().toLowerCase(Locale.ROOT);
  }
}
