// SPDX-License-Identifier: Apache-2.0
/** Limits, killing and listing of sandboxes through cgroups, v1 and v2 behind one interface. */
@NullMarked
package io.dsec.node.cgroup;

import org.jspecify.annotations.NullMarked;
