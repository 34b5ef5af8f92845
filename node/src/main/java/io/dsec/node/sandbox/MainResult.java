// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.model.Bytes;
import io.dsec.model.ExecResult;
import io.dsec.node.exec.KeptOutput;
import java.nio.file.Path;

/**
 * How a main command ended, light enough to be kept until the server has it: long output stays in
 * its spool files and is read when asked for.
 *
 * @param result without the bytes of spooled streams
 * @param maxOutput that the spool files were written with
 */
record MainResult(ExecResult result, boolean stdoutSpooled, boolean stderrSpooled, long maxOutput) {
  /** {@code result} complete; spooled streams have more bytes than fit into memory. */
  static MainResult of(ExecResult result, long maxOutput) {
    boolean stdout = KeptOutput.spools(result.stdoutBytes());
    boolean stderr = KeptOutput.spools(result.stderrBytes());
    return new MainResult(
        with(
            result, stdout ? Bytes.EMPTY : result.stdout(), stderr ? Bytes.EMPTY : result.stderr()),
        stdout,
        stderr,
        maxOutput);
  }

  ExecResult load(Path directory) {
    return with(
        result,
        stdoutSpooled ? spool(directory, 0, result.stdoutBytes()) : result.stdout(),
        stderrSpooled ? spool(directory, 1, result.stderrBytes()) : result.stderr());
  }

  boolean keeps(String fileName) {
    return (stdoutSpooled && fileName.equals(KeptOutput.fileName(result.id(), 0)))
        || (stderrSpooled && fileName.equals(KeptOutput.fileName(result.id(), 1)));
  }

  private Bytes spool(Path directory, int stream, long length) {
    return KeptOutput.read(
        directory.resolve(KeptOutput.fileName(result.id(), stream)), maxOutput, length);
  }

  private static ExecResult with(ExecResult r, Bytes stdout, Bytes stderr) {
    return new ExecResult(
        r.id(),
        r.ending(),
        r.limitsHit(),
        stdout,
        stderr,
        r.stdoutBytes(),
        r.stderrBytes(),
        r.duration(),
        r.firstSeq(),
        r.lastSeq());
  }
}
