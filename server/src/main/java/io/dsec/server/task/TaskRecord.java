// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.task;

import io.dsec.model.SandboxId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A task of its own. {@code result} comes with its end. */
public record TaskRecord(
    String id,
    String tenant,
    SandboxId sandbox,
    Instant createdAt,
    @Nullable Instant endedAt,
    @Nullable TaskResult result) {}
