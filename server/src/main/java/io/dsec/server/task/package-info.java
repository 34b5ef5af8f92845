// SPDX-License-Identifier: Apache-2.0
/** Tasks: a sandbox with a main command, run to its end. */
@NullMarked
package io.dsec.server.task;

import org.jspecify.annotations.NullMarked;
