// SPDX-License-Identifier: Apache-2.0
/** The guest channel: framed, bounded, resumable. Its far end is hostile. */
@NullMarked
package io.dsec.node.channel;

import org.jspecify.annotations.NullMarked;
