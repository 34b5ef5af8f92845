// SPDX-License-Identifier: Apache-2.0
/** What happens later. */
@NullMarked
package io.dsec.server.time;

import org.jspecify.annotations.NullMarked;
