// SPDX-License-Identifier: Apache-2.0
/** Ranges of host user ids, one per sandbox. */
@NullMarked
package io.dsec.node.idrange;

import org.jspecify.annotations.NullMarked;
