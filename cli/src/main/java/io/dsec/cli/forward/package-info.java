// SPDX-License-Identifier: Apache-2.0
/** {@code dsec port-forward}. */
@NullMarked
package io.dsec.cli.forward;

import org.jspecify.annotations.NullMarked;
