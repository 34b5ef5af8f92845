// SPDX-License-Identifier: Apache-2.0
/** What this host can do and cannot, each with the reason: the text of {@code dsec doctor}. */
@NullMarked
package io.dsec.node.probe;

import org.jspecify.annotations.NullMarked;
