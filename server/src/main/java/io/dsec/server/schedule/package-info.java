// SPDX-License-Identifier: Apache-2.0
/** Which node gets which sandbox: a pure choice, and the loop that acts on it. */
@NullMarked
package io.dsec.server.schedule;

import org.jspecify.annotations.NullMarked;
