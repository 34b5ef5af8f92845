// SPDX-License-Identifier: Apache-2.0
/**
 * The contract between server and node: what a server may ask ({@link io.dsec.link.NodeCommands}),
 * what a node tells ({@link io.dsec.link.NodeEvents}), and the JSON form of every value that
 * crosses.
 */
@NullMarked
package io.dsec.link;

import org.jspecify.annotations.NullMarked;
