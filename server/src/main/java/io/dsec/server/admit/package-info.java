// SPDX-License-Identifier: Apache-2.0
/** Limits at the door. */
@NullMarked
package io.dsec.server.admit;

import org.jspecify.annotations.NullMarked;
