// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.dsec.client;

import org.jspecify.annotations.NullMarked;
