// SPDX-License-Identifier: Apache-2.0
/** Files of sandboxes, by the file applet of their guests. */
@NullMarked
package io.dsec.node.files;

import org.jspecify.annotations.NullMarked;
