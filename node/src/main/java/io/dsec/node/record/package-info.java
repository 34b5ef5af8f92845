// SPDX-License-Identifier: Apache-2.0
/** The trajectory of each sandbox: one writer, JSON Lines, spooled on disk. */
@NullMarked
package io.dsec.node.record;

import org.jspecify.annotations.NullMarked;
