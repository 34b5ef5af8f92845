// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import java.util.List;

/** One benchmark: starts what it needs, measures, cleans up. */
interface Benchmark {
  String name();

  List<Figure> run() throws Exception;
}
