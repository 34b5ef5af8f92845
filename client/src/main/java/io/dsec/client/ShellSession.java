// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A shell session, as the server tells of it.
 *
 * @param state {@code idle}, {@code busy} or {@code ended}
 * @param process id of its shell among the processes
 * @param shell as it was asked for; null: the default
 * @param run {@code {id, command, started_at}} of what it is busy with
 * @param ending of its shell
 */
public record ShellSession(
    String id,
    String state,
    String process,
    @Nullable String shell,
    Instant startedAt,
    @Nullable JsonNode run,
    @Nullable JsonNode ending) {}
