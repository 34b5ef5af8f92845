// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of a real {@code dsec up} over HTTP, each beside a peer in the same run. */
@NullMarked
package io.dsec.bench;

import org.jspecify.annotations.NullMarked;
