// SPDX-License-Identifier: Apache-2.0
/** Waiting and timers, so that no logic names a clock of its own. */
@NullMarked
package io.dsec.node.time;

import org.jspecify.annotations.NullMarked;
