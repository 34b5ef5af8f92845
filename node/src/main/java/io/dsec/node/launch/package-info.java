// SPDX-License-Identifier: Apache-2.0
/** Talks to the native launcher that turns a request into a sandbox. */
@NullMarked
package io.dsec.node.launch;

import org.jspecify.annotations.NullMarked;
