// SPDX-License-Identifier: Apache-2.0
/** Scenarios on a real node: real launcher, real control groups, real disks. */
package io.dsec.node.system;
