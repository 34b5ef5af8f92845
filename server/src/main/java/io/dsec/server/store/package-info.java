// SPDX-License-Identifier: Apache-2.0
/** The database: one writer with group commit, pooled readers, migrations. */
@NullMarked
package io.dsec.server.store;

import org.jspecify.annotations.NullMarked;
