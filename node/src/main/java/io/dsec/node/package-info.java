// SPDX-License-Identifier: Apache-2.0
/** The data plane of one host: sandboxes and everything they need. */
@NullMarked
package io.dsec.node;

import org.jspecify.annotations.NullMarked;
