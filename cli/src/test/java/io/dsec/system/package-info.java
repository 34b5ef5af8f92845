// SPDX-License-Identifier: Apache-2.0
/**
 * System tests: real sandboxes through the public HTTP surface of a {@code dsec up} that runs as a
 * process of its own. Field cases keep their numbers (F1, M3, …).
 */
@NullMarked
package io.dsec.system;

import org.jspecify.annotations.NullMarked;
