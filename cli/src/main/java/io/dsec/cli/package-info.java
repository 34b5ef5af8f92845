// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.dsec.cli;

import org.jspecify.annotations.NullMarked;
