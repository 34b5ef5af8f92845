// SPDX-License-Identifier: Apache-2.0
/** Calls into the host's kernel. */
@NullMarked
package io.dsec.node.host;

import org.jspecify.annotations.NullMarked;
