// SPDX-License-Identifier: Apache-2.0
/** Commands in running sandboxes. */
@NullMarked
package io.dsec.server.exec;

import org.jspecify.annotations.NullMarked;
