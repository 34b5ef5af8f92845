// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.cli.EndingText;
import io.dsec.client.Batch;
import io.dsec.client.Batches;
import io.dsec.client.ConnectionException;
import io.dsec.client.Pause;
import io.dsec.client.TaskResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Follows one batch from its acceptance to its last result. */
final class BatchRun {
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration REFRESH = Duration.ofSeconds(1);

  private final Batches batches;
  private final Progress progress;
  private final InstantSource clock;
  private final Pause pause;
  private final boolean watch;
  private final @Nullable Writer out;
  private final Tally tally = new Tally();

  /**
   * @param watch also tells of each task as it ends
   * @param out gets each result as a JSON line
   */
  BatchRun(
      Batches batches,
      Progress progress,
      InstantSource clock,
      Pause pause,
      boolean watch,
      @Nullable Writer out) {
    this.batches = batches;
    this.progress = progress;
    this.clock = clock;
    this.pause = pause;
    this.watch = watch;
    this.out = out;
  }

  Tally follow(Batch accepted) throws InterruptedException {
    Batch batch = accepted;
    Instant refreshed = clock.instant();
    try (ResultFeed feed = new ResultFeed(batches, accepted.id(), pause)) {
      while (true) {
        ResultFeed.Item item = feed.poll(TICK);
        if (item != null && item.failure() != null) {
          throw item.failure();
        }
        if (item != null && item.result() == null) {
          return tally;
        }
        if (item != null) {
          take(item.result());
        }
        Instant now = clock.instant();
        if (Duration.between(refreshed, now).compareTo(REFRESH) >= 0) {
          batch = refresh(batch);
          refreshed = now;
        }
        progress.show(batch, tally, now);
      }
    } finally {
      progress.clear();
    }
  }

  private void take(@Nullable TaskResult result) {
    if (result == null || !tally.add(result)) {
      return;
    }
    if (watch) {
      progress.note(result, EndingText.of(result.ending()));
    }
    if (out != null) {
      try {
        out.write(result.json() + "\n");
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write the results", e);
      }
    }
  }

  private Batch refresh(Batch last) {
    try {
      return batches.get(last.id());
    } catch (ConnectionException _) {
      return last;
    }
  }
}
