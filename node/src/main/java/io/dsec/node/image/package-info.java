// SPDX-License-Identifier: Apache-2.0
/** What a sandbox sees as its root: directories below the writable layer. */
@NullMarked
package io.dsec.node.image;

import org.jspecify.annotations.NullMarked;
