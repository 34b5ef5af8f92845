// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Field cases of resources, by number: each limit binds its sandbox and nobody else. */
@ExtendWith(SharedDsec.class)
class ResourceCasesTest {
  private final Api api;
  private final DsecProcess dsec;

  ResourceCasesTest(Api api, DsecProcess dsec) {
    this.api = api;
    this.dsec = dsec;
  }

  @Test
  void f11OutOfMemoryIsToldAndTheSandboxLives() {
    try (Box box = api.create(Map.of("resources", Map.of("memory", "128Mi")))) {
      for (int i = 0; i < 2; i++) {
        Ran ran = box.exec("perl", "-e", "$x = 'a' x (400 << 20)");
        assertThat(ran.ending()).isEqualTo("oom");
        assertThat(ran.isFault()).isFalse();
        // In a pipeline the shell survives its child; the exec is out of memory all the same.
        assertThat(box.sh("perl -e '$x = \"a\" x (400 << 20)'; exit 3").ending()).isEqualTo("oom");
      }
      assertThat(box.exec("echo", "alive").stdout()).isEqualTo("alive\n");
      assertThat(box.sh("kill -9 $$").ending()).isEqualTo("signaled 9");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/tmp", "/var/tmp", "/workspace", "/home/agent", "/"})
  void f42TheDiskLimitHoldsInEachWritablePlace(String place) {
    long before = freeBytes();
    try (Box box = api.create(Map.of("resources", Map.of("disk", "100Mi", "memory", "256Mi")))) {
      Ran ran =
          box.root(
              "cd "
                  + place
                  + " && dd if=/dev/zero of=big bs=1M count=300 2>&1; ls -l big | awk '{print $5}'; exit 7");
      assertThat(ran.stdout()).containsAnyOf("No space left on device", "Disk quota exceeded");
      long written = Long.parseLong(ran.stdout().strip().lines().toList().getLast());
      assertThat(written).isBetween(80L << 20, 110L << 20);
      assertThat(ran.limits()).contains("disk");
      assertThat(before - freeBytes()).isLessThan(400L << 20);
      assertThat(box.exec("echo", "answers").stdout()).isEqualTo("answers\n");
    }
  }

  @Test
  void f42UnlinkedFilesFallocateAndEmptyFilesCountToo() {
    try (Box box =
        api.create(Map.of("resources", Map.of("disk", "100Mi", "memory", "256Mi", "pids", 64)))) {
      assertThat(box.sh("exec 3>/tmp/u; rm /tmp/u; dd if=/dev/zero bs=1M count=300 >&3").stderr())
          .containsAnyOf("No space left on device", "Disk quota exceeded");
      assertThat(box.sh("fallocate -l 300M /tmp/f; echo $?").stdout().strip()).isNotEqualTo("0");
      Ran many =
          box.run(
              Map.of(
                  "argv",
                  List.of(
                      "perl",
                      "-e",
                      "for (1..1000000) { open(F, '>', \"/tmp/e$_\") or do { print \"$_ $!\"; exit 1 } }"),
                  "timeout",
                  "120s"));
      assertThat(many.ending()).isEqualTo("exited 1");
      assertThat(box.exec("echo", "answers").stdout()).isEqualTo("answers\n");
    }
  }

  @Test
  void f42ShmIsBoundedByTheMemoryLimit() {
    try (Box box = api.create(Map.of("resources", Map.of("memory", "64Mi")))) {
      Ran ran =
          box.sh(
              "dd if=/dev/zero of=/dev/shm/big bs=1M count=300; ls -l /dev/shm/big | awk '{print $5}'");
      assertThat(ran.stderr()).contains("No space left on device");
      assertThat(Long.parseLong(ran.stdout().strip())).isEqualTo(32L << 20);
    }
  }

  @Test
  void aLayerInMemoryIsLimitedAndCountedInTheMemoryLimit() {
    Map<String, String> small = Map.of("disk", "32Mi", "memory", "128Mi", "disk_medium", "memory");
    Map<String, String> large = Map.of("disk", "256Mi", "memory", "64Mi", "disk_medium", "memory");
    String fill = "dd if=/dev/zero of=/tmp/big bs=1M count=200";
    try (Box box = api.create(Map.of("resources", small))) {
      Ran full = box.sh(fill + "; ls -l /tmp/big | awk '{print $5}'; exit 7");
      assertThat(full.stderr()).contains("No space left on device");
      assertThat(Long.parseLong(full.stdout().strip())).isBetween(30L << 20, 32L << 20);
      assertThat(full.limits()).contains("disk");
    }
    try (Box box = api.create(Map.of("resources", large))) {
      assertThat(box.sh(fill).ending()).isEqualTo("oom");
      assertThat(box.exec("rm", "/tmp/big").ending()).isEqualTo("exited 0");
    }
  }

  @Test
  void f44AForkBombHurtsNobodyElse() throws Exception {
    try (Box bomb = api.create(Map.of("resources", Map.of("pids", 128)));
        Box neighbour = api.create();
        ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ran> boom =
          pool.submit(
              () ->
                  bomb.run(
                      Map.of(
                          "argv",
                          List.of("bash", "-c", ":(){ :|:& };:; wait; sleep 1"),
                          "timeout",
                          "5s")));
      List<Duration> calls = new ArrayList<>();
      while (!boom.isDone()) {
        long start = System.nanoTime();
        assertThat(neighbour.exec("true").ending()).isEqualTo("exited 0");
        calls.add(Duration.ofNanos(System.nanoTime() - start));
      }
      assertThat(boom.get().limits()).contains("pids");
      calls.sort(null);
      assertThat(calls.get(calls.size() * 99 / 100)).isLessThan(Duration.ofSeconds(1));
      assertThat(bomb.exec("echo", "usable").stdout()).isEqualTo("usable\n");
      long start = System.nanoTime();
      assertThat(api.delete("/v1/sandboxes/" + bomb.id()).status()).isEqualTo(204);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
  }

  @Test
  void f68ShmDevicesAndLimitsAreAsProgramsExpect() {
    try (Box box = api.create(Map.of("resources", Map.of("memory", "2Gi")))) {
      assertThat(box.sh("df -k /dev/shm | awk 'NR==2 {print $2}'").stdout().strip())
          .isEqualTo("1048576");
      assertThat(box.sh("head -c 134217728 /dev/zero > /dev/shm/a && rm /dev/shm/a").ending())
          .isEqualTo("exited 0");
      assertThat(box.sh("test -d /dev/pts && test -e /dev/fd/0 && echo ok").stdout())
          .isEqualTo("ok\n");
      assertThat(box.root("echo 1 > /proc/sys/vm/drop_caches").code()).isNotZero();
      assertThat(box.root("echo x > /proc/sys/kernel/hostname").code()).isNotZero();
      assertThat(box.sh("ulimit -c; ulimit -n").stdout()).startsWith("0\n");
      assertThat(Integer.parseInt(box.sh("ulimit -n").stdout().strip()))
          .isGreaterThanOrEqualTo(1024);
      assertThat(box.sh("ls /sys/fs/cgroup | wc -l; touch /sys/fs/cgroup/x").ending())
          .isNotEqualTo("exited 0");
    }
  }

  @Test
  void eachSandboxResolvesItsOwnNameAndItsRootMayChangeThat() {
    try (Box box = api.create();
        Box named = api.create(Map.of("hostname", "trainer.test"))) {
      assertThat(box.sh("getent hosts $(hostname)").stdout()).contains("127.0.1.1", box.id());
      assertThat(named.sh("getent hosts trainer.test").stdout()).contains("127.0.1.1");
      assertThat(named.sh("cat /etc/hostname").stdout()).isEqualTo("trainer.test\n");
      assertThat(named.sh("getent hosts localhost").stdout()).contains("localhost");
      assertThat(named.sh("stat -c '%a %u:%g' /etc/hosts; echo x >> /etc/hosts").stdout())
          .isEqualTo("644 0:0\n");
      assertThat(named.root("echo 10.0.0.9 db >> /etc/hosts; getent hosts db").stdout())
          .startsWith("10.0.0.9");
      assertThat(box.sh("getent hosts db").ending()).isEqualTo("exited 2");
    }
  }

  /** A loop that would take a whole core is given a fifth of one, for as long as it runs. */
  @Test
  void cpuIsHeldToItsCeiling() {
    try (Box box = api.create(Map.of("resources", Map.of("cpu", 0.2)))) {
      Ran spin = box.sh("timeout 2 sh -c 'while :; do :; done'; times", "20s");
      // The last line is user and system time of the children: 0m0.41s 0m0.00s
      String[] times = spin.stdout().lines().toList().getLast().split(" ");
      assertThat(seconds(times[0]) + seconds(times[1])).isBetween(0.05, 0.2 * spin.seconds() + 0.1);
    }
  }

  private static double seconds(String time) {
    return Double.parseDouble(time.substring(time.indexOf('m') + 1, time.length() - 1));
  }

  private long freeBytes() {
    return Path.of("/").resolve(dsec.data()).toFile().getUsableSpace();
  }
}
