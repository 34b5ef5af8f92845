// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.dsec.bench;

import org.jspecify.annotations.NullMarked;
