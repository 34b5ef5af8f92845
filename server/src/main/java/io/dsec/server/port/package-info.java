// SPDX-License-Identifier: Apache-2.0
/** HTTP/1.1 with servers inside sandboxes, which are hostile. */
@NullMarked
package io.dsec.server.port;

import org.jspecify.annotations.NullMarked;
