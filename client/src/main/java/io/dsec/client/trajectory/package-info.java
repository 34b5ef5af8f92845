// SPDX-License-Identifier: Apache-2.0
/** What can be done with a recorded trajectory: verify it, turn it into other formats. */
@NullMarked
package io.dsec.client.trajectory;

import org.jspecify.annotations.NullMarked;
