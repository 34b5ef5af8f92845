// SPDX-License-Identifier: Apache-2.0
/** Writable layers with a hard size limit, by the best mechanism that the host offers. */
@NullMarked
package io.dsec.node.disk;

import org.jspecify.annotations.NullMarked;
