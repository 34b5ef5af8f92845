// SPDX-License-Identifier: Apache-2.0
/** Life of one sandbox: steps, states, journal. */
@NullMarked
package io.dsec.node.sandbox;

import org.jspecify.annotations.NullMarked;
