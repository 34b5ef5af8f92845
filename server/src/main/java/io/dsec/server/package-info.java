// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.dsec.server;

import org.jspecify.annotations.NullMarked;
