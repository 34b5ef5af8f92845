// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.Ending;
import io.dsec.model.SandboxId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A task as the server describes it.
 *
 * @param ending null until it has ended
 */
public record Task(
    String id,
    String state,
    @Nullable SandboxId sandbox,
    @Nullable String node,
    @Nullable Ending ending,
    @Nullable String stdout,
    @Nullable String stderr,
    @Nullable Duration durationSeconds,
    @Nullable Timings timings) {}
