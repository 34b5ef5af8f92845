// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.time.Instant;

/**
 * What a file tells the recorder that continues it.
 *
 * @param seq of the last whole event; 0 when there is none
 * @param length bytes of the whole events
 * @param torn bytes after them
 */
record Resumed(long seq, long t, Instant wall, long length, long torn, OpenExecs execs) {}
