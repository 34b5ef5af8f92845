// SPDX-License-Identifier: Apache-2.0
/** Commands that run in a sandbox: credit, kept output, endings. */
@NullMarked
package io.dsec.node.exec;

import org.jspecify.annotations.NullMarked;
