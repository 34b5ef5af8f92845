// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.tenant;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Ids;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * All keys, looked up by hash in memory: no request waits for the database. A key is {@code dsec_}
 * and 256 random bits; it is shown once and kept as its SHA-256.
 */
public final class KeyRing {
  public static final String DEFAULT_TENANT = "default";

  private final KeyTable table;
  private final RandomGenerator secure;
  private final Clock clock;
  private final Map<String, ApiKey> byHash = new ConcurrentHashMap<>();

  public KeyRing(KeyTable table, RandomGenerator secure, Clock clock) {
    this.table = table;
    this.secure = secure;
    this.clock = clock;
    table.all().forEach(key -> byHash.put(key.hash(), key));
  }

  /** Whom {@code key} speaks for; {@code unauthorized} when nobody. */
  public Caller caller(String key) {
    ApiKey found = byHash.get(hash(key));
    if (found == null || found.expiredAt(clock.instant())) {
      throw DsecException.of(
              ErrorCode.UNAUTHORIZED,
              found == null ? "the API key is unknown" : "the API key has expired")
          .withHint("send Authorization: Bearer KEY; `dsec up` writes one to DATA/admin-key");
    }
    return new Caller(found.id(), found.tenant(), found.role());
  }

  public IssuedKey issue(String tenant, Role role, Optional<Duration> expiresIn) {
    byte[] bits = new byte[32];
    secure.nextBytes(bits);
    String key = "dsec_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
    Instant now = clock.instant();
    ApiKey record =
        new ApiKey(
            "k-" + Ids.letters(secure, 12),
            hash(key),
            tenant,
            role,
            now,
            expiresIn.map(now::plus).orElse(null));
    table.insert(record);
    byHash.put(record.hash(), record);
    return new IssuedKey(record, key);
  }

  public boolean revoke(String id) {
    Optional<ApiKey> key = byHash.values().stream().filter(k -> k.id().equals(id)).findAny();
    key.ifPresent(
        k -> {
          byHash.remove(k.hash());
          table.delete(id);
        });
    return key.isPresent();
  }

  public List<ApiKey> all() {
    return byHash.values().stream()
        .sorted(Comparator.comparing(ApiKey::createdAt).thenComparing(ApiKey::id))
        .toList();
  }

  boolean knows(String key) {
    return byHash.containsKey(hash(key));
  }

  private static String hash(String key) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** A new key with its record; {@code secret} is nowhere else. */
  public record IssuedKey(ApiKey record, String secret) {}
}
