// SPDX-License-Identifier: Apache-2.0
/** Figures of one node. */
@NullMarked
package io.dsec.node.metrics;

import org.jspecify.annotations.NullMarked;
