// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import java.nio.file.Path;

/** Two empty directories on one file system; ids on disk are the sandbox's own. */
public record WritableLayer(Path upper, Path work) {}
