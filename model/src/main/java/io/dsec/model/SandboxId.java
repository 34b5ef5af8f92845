// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** Opaque name of a sandbox: {@code sb-} and 16 characters of {@code a-z2-7}. */
public record SandboxId(String value) {
  private static final Pattern FORM = Pattern.compile("sb-[a-z2-7]{16}");

  public SandboxId {
    if (!FORM.matcher(value).matches()) {
      throw DsecException.invalid("id", "\"%s\" is not a sandbox id (sb-…)".formatted(value));
    }
  }

  public static SandboxId random(RandomGenerator random) {
    return new SandboxId("sb-" + Ids.letters(random, 16));
  }

  @Override
  public String toString() {
    return value;
  }
}
