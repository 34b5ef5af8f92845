// SPDX-License-Identifier: Apache-2.0
/** API keys and whom they speak for. */
@NullMarked
package io.dsec.server.tenant;

import org.jspecify.annotations.NullMarked;
