// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What agents did, on purpose or by accident (M1 to M11), as root of the sandbox where that is
 * stronger.
 */
@ExtendWith(SharedDsec.class)
class MisbehaviourTest {
  private final Api api;
  private final DsecProcess dsec;

  MisbehaviourTest(Api api, DsecProcess dsec) {
    this.api = api;
    this.dsec = dsec;
  }

  @Test
  void m1TheGuestSocketCannotBeReached() {
    try (Box box = api.create()) {
      assertThat(
              box.root("find / -xdev -type s 2>/dev/null; cat /proc/net/unix | tail -n +2")
                  .stdout())
          .doesNotContain("guest.sock", dsec.data().toString());
      assertThat(box.root("ls /proc/1/fd").ending()).isNotEqualTo("exited 0");
      assertThat(box.root("head -c 1 /proc/1/mem").ending()).isNotEqualTo("exited 0");
      assertThat(box.root("cat /proc/1/environ").stdout()).isEmpty();
      assertThat(box.root("ls -l /proc/1/exe /proc/1/cwd /proc/1/root").stdout())
          .doesNotContain("->");
    }
  }

  @Test
  void m2NothingOfThePlatformIsVisibleInside() {
    try (Box box = api.create(Map.of("secrets", Map.of("TOKEN", "s3cr3t-7f1")))) {
      String data = dsec.data().toString();
      assertThat(box.root("cat /proc/self/mountinfo /proc/mounts").stdout()).doesNotContain(data);
      assertThat(box.root("ls -d " + data + " " + DsecProcess.root()).ending())
          .isNotEqualTo("exited 0");
      assertThat(box.root("ls /root /home /var/lib /run").stdout()).doesNotContain("dsec");
      assertThat(box.root("cat /proc/*/cmdline | tr '\\0' ' '").stdout())
          .doesNotContain("--data", "s3cr3t-7f1");
      assertThat(box.root("cat /etc/shadow /root/.bash_history /etc/ssh/* 2>/dev/null").stdout())
          .isEmpty();
    }
  }

  @Test
  void m3OverwritingTheShellHurtsThatSandboxOnly() {
    try (Box box = api.create();
        Box other = api.create()) {
      box.root(
          "cp /bin/false /bin/sh; rm -f /bin/bash /lib64/ld-linux-x86-64.so.2; rm -rf /usr /etc /bin");
      assertThat(box.run(Map.of("argv", List.of("/usr/bin/true"))).ending()).isEqualTo("exited 0");
      assertThat(other.sh("echo fine").stdout()).isEqualTo("fine\n");
      assertThat(Files.exists(Path.of("/usr/bin/true"))).isTrue();
      assertThat(box.state()).isEqualTo("running");
    }
  }

  @Test
  void m4FileSystemControlsAreRefused() {
    // FIFREEZE, FITRIM, EXT4_IOC_SWAP_BOOT, FS_IOC_FSSETXATTR, FS_IOC_SETFLAGS,
    // BTRFS_IOC_SUBVOL_CREATE,
    // BTRFS_IOC_QUOTA_CTL, BTRFS_IOC_QGROUP_LIMIT, EXT4_IOC_SHUTDOWN, EXT4_IOC_MOVE_EXT
    String script =
        "open(D, '<', $ARGV[0]) or die 'open'; my $buf = \"\\0\" x 4096; my $ok = 0;"
            + "for my $n (0xC0045877, 0xC0185879, 0x6611, 0x401C5820, 0x40086602, 0x5000940E, 0xC0109428, 0x8030942B,"
            + " 0x8004587D, 0xC028660F) { if (defined ioctl(D, $n, $buf)) { printf \"%x allowed\\n\", $n; $ok++ } }"
            + " exit $ok;";
    try (Box box = api.create()) {
      for (String place : List.of("/", "/tmp", "/usr", "/dev/shm")) {
        Ran ran = box.run(Map.of("argv", List.of("perl", "-e", script, place), "user", "root"));
        assertThat(ran.ending())
            .as(place + ": " + ran.stdout() + ran.stderr())
            .isEqualTo("exited 0");
      }
    }
  }

  @Test
  void m5NoDeviceButLoopback() {
    try (Box box = api.create()) {
      assertThat(box.sh("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").stdout())
          .isEqualTo("lo\n");
      Ran connect =
          box.run(
              Map.of(
                  "argv",
                  List.of(
                      "bash",
                      "-c",
                      "exec 3<>/dev/tcp/" + dsec.url().replace("http://", "").replace(":", "/")),
                  "timeout",
                  "5s"));
      assertThat(connect.code()).as(connect.stderr()).isEqualTo(1);
      assertThat(connect.seconds()).isLessThan(1);
    }
  }

  @Test
  void m7KernelFilesAreMaskedAndReadingThemAllHarmsNobody() {
    try (Box box = api.create(Map.of("resources", Map.of("memory", "128Mi")))) {
      for (String file :
          List.of(
              "/proc/kcore",
              "/proc/keys",
              "/proc/timer_list",
              "/proc/kpageflags",
              "/proc/kpagecount",
              "/proc/sysrq-trigger")) {
        assertThat(box.root("head -c 64 " + file + " 2>/dev/null | wc -c").stdout().strip())
            .as(file)
            .isEqualTo("0");
      }
      Ran grep = box.sh("grep -r xyzzy /proc /sys >/dev/null 2>&1; echo done", "60s");
      assertThat(grep.kind()).isIn("exited", "timeout", "oom");
      assertThat(box.exec("echo", "alive").stdout()).isEqualTo("alive\n");
    }
  }

  @Test
  void m8EndlessOutputIsCappedEverywhere() {
    try (Box box = api.create()) {
      Ran ran = box.sh("yes", "3s");
      assertThat(ran.kind()).isEqualTo("timeout");
      assertThat(ran.truncated()).isTrue();
      assertThat(ran.limits()).contains("output");
      long recorded = box.trajectory().stream().mapToLong(e -> e.toString().length()).sum();
      assertThat(recorded).isLessThan(8 << 20);
      assertThat(box.trajectory()).anyMatch(e -> e.path("kind").asString("").equals("record.gap"));
    }
  }

  @Test
  void m9KillingEverythingInSightLeavesAUsableSandbox() {
    try (Box box = api.create()) {
      // kill(-1) spares the caller itself.
      assertThat(box.root("sleep 100 & kill -9 -1").kind()).isIn("exited", "signaled");
      assertThat(box.root("kill -STOP 1; kill -STOP -1").kind())
          .isIn("exited", "signaled", "timeout");
      assertThat(
              box.run(
                      Map.of(
                          "argv",
                          List.of(
                              "bash",
                              "-c",
                              "for f in /proc/$$/fd/*; do eval \"exec ${f##*/}>&-\"; done; sleep 0.1")))
                  .kind())
          .isEqualTo("exited");
      assertThat(box.exec("echo", "usable").stdout()).isEqualTo("usable\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mount -t tmpfs x /mnt",
        "umount /proc",
        "hostname other",
        "date -s 2020-01-01",
        "unshare -U true",
        "unshare -m true",
        "chroot / unshare -n true",
        "mknod /tmp/sda b 8 0",
        "insmod /tmp/x.ko",
        "ip route add default dev lo",
        "nsenter -t 1 -m true",
        "echo 1 > /proc/1/oom_score_adj",
        "echo b > /proc/sysrq-trigger",
        "dmesg"
      })
  void m11PrivilegedDeedsAreRefused(String deed) {
    try (Box box = api.create()) {
      Ran ran = box.root(deed);
      assertThat(ran.kind()).as(ran.stderr()).isEqualTo("exited");
      assertThat(ran.code()).as(ran.stdout() + ran.stderr()).isNotZero();
    }
  }

  /** name, number on x86-64, expected errno: 1 EPERM, 38 ENOSYS. */
  @ParameterizedTest
  @CsvSource({
    "mount,165,1",
    "umount2,166,1",
    "pivot_root,155,1",
    "ptrace,101,1",
    "process_vm_readv,310,1",
    "process_vm_writev,311,1",
    "reboot,169,1",
    "swapon,167,1",
    "swapoff,168,1",
    "init_module,175,1",
    "finit_module,313,1",
    "kexec_load,246,1",
    "bpf,321,1",
    "keyctl,250,1",
    "add_key,248,1",
    "setns,308,1",
    "unshare_user,272,1",
    "perf_event_open,298,1",
    "open_by_handle_at,304,1",
    "userfaultfd,323,1",
    "clone3,435,38",
    "io_uring_setup,425,38",
    "unknown,999,38"
  })
  void m11DeniedCallsAnswerWithANormalError(String name, int number, int errno) {
    try (Box box = api.create()) {
      String argument = name.equals("unshare_user") ? "0x10000000" : "0";
      Ran ran =
          box.run(
              Map.of(
                  "argv",
                  List.of(
                      "perl",
                      "-e",
                      "my $r = syscall("
                          + number
                          + ", "
                          + argument
                          + ", 0, 0, 0, 0); printf '%d %d', $r, $!"),
                  "user",
                  "root"));
      assertThat(ran.stdout()).as(name).isEqualTo("-1 " + errno);
    }
  }

  @Test
  void usersAreWhoTheyShouldBe() {
    try (Box box = api.create()) {
      assertThat(box.sh("id -u; id -g; echo $HOME; pwd; touch here && echo writable").stdout())
          .isEqualTo("1000\n1000\n/home/agent\n/workspace\nwritable\n");
      assertThat(box.root("id -u; echo $HOME").stdout()).isEqualTo("0\n/root\n");
      assertThat(box.sh("cat /proc/self/status | grep -E 'CapEff|NoNewPrivs'").stdout())
          .contains("CapEff:\t0000000000000000", "NoNewPrivs:\t1");
      assertThat(box.root("chown 1000:1000 /tmp && stat -c %u /tmp").stdout()).isEqualTo("1000\n");
    }
  }
}
