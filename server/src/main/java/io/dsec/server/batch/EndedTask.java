// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import io.dsec.server.task.TaskResult;
import org.jspecify.annotations.Nullable;

/** A task of a batch that ended; {@code n} counts endings. */
public record EndedTask(
    long n, int index, String id, int attempt, @Nullable String sandbox, TaskResult result) {}
