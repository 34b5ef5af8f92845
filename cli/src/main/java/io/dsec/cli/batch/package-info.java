// SPDX-License-Identifier: Apache-2.0
/** Batch files: reading them, following their run, and the summary at the end. */
@NullMarked
package io.dsec.cli.batch;

import org.jspecify.annotations.NullMarked;
