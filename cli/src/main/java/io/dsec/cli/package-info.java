// SPDX-License-Identifier: Apache-2.0
/** The {@code dsec} command. {@link io.dsec.cli.Main} puts it together. */
@NullMarked
package io.dsec.cli;

import org.jspecify.annotations.NullMarked;
