// SPDX-License-Identifier: Apache-2.0
/** What the commands write on: streams, colours, tables, figures for people. */
@NullMarked
package io.dsec.cli.term;

import org.jspecify.annotations.NullMarked;
