// SPDX-License-Identifier: Apache-2.0
/** The words of DSec as immutable values: no clock, no I/O, no dependency. */
@NullMarked
package io.dsec.model;

import org.jspecify.annotations.NullMarked;
