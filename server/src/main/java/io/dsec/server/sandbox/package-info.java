// SPDX-License-Identifier: Apache-2.0
/** Sandboxes as the server knows them, from accepted to ended. */
@NullMarked
package io.dsec.server.sandbox;

import org.jspecify.annotations.NullMarked;
