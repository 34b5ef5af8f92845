// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import java.nio.file.Path;

final class TmpfsLayersTest extends WritableLayersContract {
  @Override
  WritableLayers backend(Path in) {
    return new TmpfsLayers(in, calls);
  }

  @Override
  boolean copies() {
    return false;
  }
}
