// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.Ending;
import io.dsec.model.SandboxId;
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
    int attempt,
    @Nullable Ending ending,
    @Nullable String stdout,
    @Nullable String stderr,
    @Nullable Timings timings) {}
