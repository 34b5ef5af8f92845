// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import java.io.IOException;
import java.util.Iterator;

/** Writes a trajectory in another format. */
public interface TrajectoryExporter {
  /**
   * @param lines of a trajectory, without newlines
   * @throws io.dsec.model.DsecException when a line is no event
   */
  void export(Iterator<String> lines, Appendable out) throws IOException;
}
