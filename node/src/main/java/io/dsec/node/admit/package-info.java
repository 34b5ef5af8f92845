// SPDX-License-Identifier: Apache-2.0
/** What fits on this node. */
@NullMarked
package io.dsec.node.admit;

import org.jspecify.annotations.NullMarked;
