// SPDX-License-Identifier: Apache-2.0
/** HTTP: routes, wire records, errors, streams. */
@NullMarked
package io.dsec.server.api;

import org.jspecify.annotations.NullMarked;
