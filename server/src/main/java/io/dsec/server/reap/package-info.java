// SPDX-License-Identifier: Apache-2.0
/** Removes what should be gone. */
@NullMarked
package io.dsec.server.reap;

import org.jspecify.annotations.NullMarked;
