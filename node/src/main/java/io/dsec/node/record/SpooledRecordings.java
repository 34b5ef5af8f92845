// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.link.TrajectoryCursor;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.RecordMode;
import io.dsec.model.SandboxId;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Trajectories as files {@code DIR/<sandbox>.jsonl}, readable by the node alone. */
public final class SpooledRecordings implements Recordings, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SpooledRecordings.class);

  private final RecordConfig config;
  private final Clock clock;
  private final Spool spool;
  private final SpoolDirectory directory;
  private final ConcurrentMap<SandboxId, SpooledRecorder> live = new ConcurrentHashMap<>();

  /**
   * @param ticker nanoseconds that never go back
   */
  public SpooledRecordings(
      RecordConfig config, Clock clock, LongSupplier ticker, PrometheusRegistry registry) {
    this.config = config;
    this.clock = clock;
    try {
      Files.createDirectories(
          config.directory(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + config.directory(), e);
    }
    this.spool =
        new Spool(
            config,
            new WallText(clock),
            ticker,
            new LineBuffers(),
            new OpenFiles(),
            new SpoolSize(config.totalBytes()),
            new FlushLoop(),
            new RecordMetrics(registry));
    this.directory = new SpoolDirectory(config.directory());
    sweep();
  }

  @Override
  public Recorder open(SandboxId id, RecordMode mode, Collection<String> secrets) {
    if (mode == RecordMode.OFF) {
      return SilentRecorder.SILENT;
    }
    SpooledRecorder recorder =
        new SpooledRecorder(
            id,
            SecretMask.of(secrets),
            spool,
            directory.file(id),
            closed -> live.remove(closed.id(), closed));
    if (live.putIfAbsent(id, recorder) != null) {
      throw DsecException.of(
          ErrorCode.CONFLICT, "the trajectory of %s is already being written".formatted(id));
    }
    recorder.resume(clock.instant());
    return recorder;
  }

  @Override
  public TrajectoryCursor read(SandboxId id, long fromSeq, boolean follow) {
    SpooledRecorder recorder = live.get(id);
    Path file = directory.file(id);
    if (recorder != null) {
      recorder.flush();
      return new SpoolCursor(
          new LineReader(file, 0), recorder.written(), fromSeq, recorder, follow);
    }
    try {
      return new SpoolCursor(new LineReader(file, 0), Files.size(file), fromSeq, null, false);
    } catch (IOException e) {
      throw DsecException.of(ErrorCode.NOT_FOUND, "no trajectory of %s is kept".formatted(id))
          .withHint("It was not recorded, or it is past its time on this node.")
          .withCause(e);
    }
  }

  @Override
  public void sweep() {
    try {
      long left =
          directory.sweep(
              clock.instant().minus(config.retention()), config.totalBytes(), this::remove);
      spool.size().found(left);
    } catch (IOException | UncheckedIOException e) {
      spool.metrics().error();
      LOG.warn("{} cannot be swept: {}", config.directory(), e.toString());
    }
  }

  /** Removes the file unless its sandbox is live; nobody can open it meanwhile. */
  private boolean remove(SandboxId id, Path file) {
    boolean[] removed = {false};
    live.compute(
        id,
        (_, recorder) -> {
          if (recorder == null) {
            try {
              removed[0] = Files.deleteIfExists(file);
            } catch (IOException e) {
              spool.metrics().error();
              LOG.warn("{} cannot be removed: {}", file, e.toString());
            }
          }
          return recorder;
        });
    return removed[0];
  }

  /** Files held open between writes. */
  int openFiles() {
    return spool.files().kept();
  }

  /** Writes what is buffered; the sandboxes live on and another process may continue. */
  @Override
  public void close() {
    List.copyOf(live.values()).forEach(SpooledRecorder::detach);
    spool.loop().close();
  }
}
