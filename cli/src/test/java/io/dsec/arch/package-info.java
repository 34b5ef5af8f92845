// SPDX-License-Identifier: Apache-2.0
/** Rules of the tree that a compiler does not know. */
@NullMarked
package io.dsec.arch;

import org.jspecify.annotations.NullMarked;
