// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.probe;

import io.dsec.node.host.Capabilities;
import io.dsec.node.host.KernelFile;
import io.dsec.node.host.Program;
import io.dsec.node.host.Syscalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rights, kernel version, namespaces, seccomp, virtualisation. */
final class KernelChecks {
  /** {@code fsconfig} takes overlay layers as descriptors from here on. */
  private static final int MIN_MAJOR = 6;

  private static final int MIN_MINOR = 13;
  private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+).*");

  private KernelChecks() {}

  static List<Check> all() {
    return List.of(
        new Check("root", true, KernelChecks::root, "run dsec node as root of the host"),
        new Check(
            "kernel",
            true,
            () -> kernel(System.getProperty("os.version")),
            "use Linux %d.%d or later".formatted(MIN_MAJOR, MIN_MINOR)),
        new Check(
            "namespaces.user",
            true,
            () -> namespace("--user", "--map-root-user"),
            "set user.max_user_namespaces above 0; lift AppArmor's or the container's ban"),
        new Check(
            "namespaces.network",
            true,
            () -> namespace("--net"),
            "set user.max_net_namespaces above 0; run with CAP_SYS_ADMIN"),
        new Check(
            "seccomp", true, KernelChecks::seccomp, "use a kernel with CONFIG_SECCOMP_FILTER"),
        new Check("kvm", false, KernelChecks::kvm, "enable virtualisation; pass /dev/kvm through"),
        program("tier.gvisor", "runsc", "install gVisor's runsc"),
        program("tier.microvm", "qemu-system-x86_64", "install qemu-system-x86 or Firecracker"));
  }

  private static String root() throws NotOffered {
    int uid = Syscalls.effectiveUid();
    NotOffered.unless(uid == 0, "runs as user %d".formatted(uid));
    List<String> missing = Capabilities.missing();
    NotOffered.unless(missing.isEmpty(), "root, but without " + missing);
    return "root with the capabilities that launching needs";
  }

  // 6.18.44-generic
  static String kernel(String release) throws NotOffered {
    Matcher m = RELEASE.matcher(release);
    NotOffered.unless(m.matches(), "the kernel calls itself \"%s\"".formatted(release));
    int major = Integer.parseInt(m.group(1));
    int minor = Integer.parseInt(m.group(2));
    NotOffered.unless(
        major > MIN_MAJOR || (major == MIN_MAJOR && minor >= MIN_MINOR),
        "Linux %s is too old".formatted(release));
    return "Linux " + release;
  }

  private static String namespace(String... flags) throws NotOffered {
    List<String> arguments = new ArrayList<>(List.of(flags));
    arguments.add("true");
    NotOffered.unless(
        Program.find("unshare").isPresent(), "cannot tell: unshare (util-linux) is not installed");
    Program.run("unshare", arguments.toArray(String[]::new));
    return "made one";
  }

  private static String seccomp() throws Exception {
    Path file = Path.of("/proc/sys/kernel/seccomp/actions_avail");
    NotOffered.unless(Files.exists(file), "the kernel has no seccomp filters");
    // kill_process kill_thread trap errno user_notif trace log allow
    String actions = KernelFile.read(file).strip();
    NotOffered.unless(actions.contains("errno"), "only these actions: " + actions);
    return actions.contains("user_notif") ? "filters, with user notification" : "filters";
  }

  private static String kvm() throws NotOffered {
    Path device = Path.of("/dev/kvm");
    NotOffered.unless(Files.exists(device), "/dev/kvm is not there");
    NotOffered.unless(
        Files.isReadable(device) && Files.isWritable(device), "/dev/kvm may not be opened");
    return "/dev/kvm is there; whether guests run on it is found out by booting one";
  }

  private static Check program(String name, String program, String hint) {
    return new Check(
        name,
        false,
        () ->
            Program.find(program)
                .map(path -> path + " is installed; this release does not use it yet")
                .orElseThrow(() -> new NotOffered(program + " is not installed")),
        hint);
  }
}
