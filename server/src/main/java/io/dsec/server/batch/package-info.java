// SPDX-License-Identifier: Apache-2.0
/** Batches: many tasks, in waves or as fast as nodes take them. */
@NullMarked
package io.dsec.server.batch;

import org.jspecify.annotations.NullMarked;
