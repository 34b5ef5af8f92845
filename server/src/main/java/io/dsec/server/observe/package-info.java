// SPDX-License-Identifier: Apache-2.0
/** Metrics. */
@NullMarked
package io.dsec.server.observe;

import org.jspecify.annotations.NullMarked;
