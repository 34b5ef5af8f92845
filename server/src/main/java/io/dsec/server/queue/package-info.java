// SPDX-License-Identifier: Apache-2.0
/** Work that waits for a node. */
@NullMarked
package io.dsec.server.queue;

import org.jspecify.annotations.NullMarked;
