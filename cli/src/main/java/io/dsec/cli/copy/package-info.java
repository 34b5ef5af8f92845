// SPDX-License-Identifier: Apache-2.0
/** {@code dsec cp}. */
@NullMarked
package io.dsec.cli.copy;

import org.jspecify.annotations.NullMarked;
