// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/**
 * Ceilings of one sandbox, enforced by the kernel.
 *
 * @param cpu decimal cores
 * @param memory bytes, including its /dev/shm
 * @param disk bytes of the writable layer
 * @param pids processes and threads
 * @param gpu whole cards
 * @param diskMedium where the writable layer lives; {@code MEMORY} counts against {@code memory}
 * @param shm bytes of /dev/shm; 0 means half of {@code memory}
 */
public record Resources(
    double cpu, long memory, long disk, int pids, int gpu, DiskMedium diskMedium, long shm) {
  public static final Resources DEFAULT =
      new Resources(1, 512L << 20, 1L << 30, 256, 0, DiskMedium.DISK, 0);

  public enum DiskMedium {
    DISK,
    MEMORY
  }

  public Resources {
    Check.between("resources.cpu", cpu, 0.01, 1024);
    Check.between("resources.memory", memory, 4L << 20, 1L << 50);
    Check.between("resources.disk", disk, 1L << 20, 1L << 50);
    Check.between("resources.pids", pids, 1, 4_000_000);
    Check.between("resources.gpu", gpu, 0, 64);
    Check.between("resources.shm", shm, 0, memory);
  }

  /** The same with every default written out. */
  public Resources explicit() {
    return new Resources(cpu, memory, disk, pids, gpu, diskMedium, shmBytes());
  }

  public long shmBytes() {
    return shm == 0 ? memory / 2 : shm;
  }
}
