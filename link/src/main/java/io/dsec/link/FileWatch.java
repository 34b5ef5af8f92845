// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.FileChange;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Changes as they happen. Use from one thread; close from any. */
public interface FileWatch extends AutoCloseable {
  /** The next change; null when none came in time. After {@code GONE} nothing comes. */
  @Nullable FileChange next(Duration limit) throws IOException;

  @Override
  void close();
}
