// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import java.io.IOException;
import java.util.Iterator;

/** The trajectory as it is. */
public final class JsonlExporter implements TrajectoryExporter {
  @Override
  public void export(Iterator<String> lines, Appendable out) throws IOException {
    while (lines.hasNext()) {
      out.append(lines.next()).append('\n');
    }
  }
}
