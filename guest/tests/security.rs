// SPDX-License-Identifier: Apache-2.0
//! What user code, root of the sandbox included, must not be able to do.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use support::node::*;
use support::{Lab, Wishes, possible};

/// The error number of a raw system call, made by perl; 0 when it succeeds.
fn syscall(node: &mut Node, user: &str, call: &str) -> String {
    let script = format!("@a = ({call}); $n = shift @a; $r = syscall($n, @a); print $r < 0 ? $! + 0 : 0");
    let outcome = node.exec(as_user(user, command(&["perl", "-e", &script])));
    format!("{}{}", outcome.text(), outcome.errors())
}

#[test]
fn calls_that_reach_beyond_the_sandbox_are_refused() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let (eperm, enosys) = (libc::EPERM.to_string(), libc::ENOSYS.to_string());
    let refused = [
        ("mount", "165, 'none', '/tmp', 'tmpfs', 0, 0"),
        ("umount2", "166, '/proc', 2"),
        ("pivot_root", "155, '/', '/'"),
        ("open_tree", "428, -100, '/', 1"),
        ("fsopen", "430, 'tmpfs', 0"),
        ("ptrace attach", "101, 16, 1, 0, 0"),
        ("ptrace traceme", "101, 0, 0, 0, 0"),
        ("process_vm_readv", "310, 1, 0, 0, 0, 0, 0"),
        ("pidfd_getfd", "438, 0, 0, 0"),
        ("kcmp", "312, 1, 1, 0, 0, 0"),
        ("bpf", "321, 0, 0, 0"),
        ("keyctl", "250, 0, 0, 0, 0, 0"),
        ("add_key", "248, 'user', 'k', 'v', 1, 0"),
        ("unshare user", "272, 0x10000000"),
        ("unshare mount", "272, 0x20000"),
        ("setns", "308, 0, 0"),
        ("clone user", "56, 0x10000011, 0, 0, 0, 0"),
        ("perf_event_open", "298, 0, 0, 0, 0, 0"),
        ("userfaultfd", "323, 0"),
        ("init_module", "175, 0, 0, ''"),
        ("kexec_load", "246, 0, 0, 0, 0"),
        ("reboot", "169, 0xfee1dead, 672274793, 0x1234567, 0"),
        ("sethostname", "170, 'evil', 4"),
        ("settimeofday", "164, 0, 0"),
        ("swapon", "167, '/tmp', 0"),
        ("quotactl", "179, 0, 0, 0, 0"),
        ("open_by_handle_at", "304, -100, 0, 0"),
        ("syslog", "103, 3, 0, 0"),
        ("iopl", "172, 3"),
        ("personality no random", "135, 0x0040000"),
    ];
    for user in ["root", "agent"] {
        for (name, call) in refused {
            assert_eq!(syscall(&mut node, user, call), eperm, "{name} as {user}");
        }
        assert_eq!(syscall(&mut node, user, "435, 0, 0"), enosys, "clone3 as {user}");
        assert_eq!(syscall(&mut node, user, "425, 1, 0"), enosys, "io_uring_setup as {user}");
        for family in [40, 38, 17, 15, 31] {
            let answer = syscall(&mut node, user, &format!("41, {family}, 2, 0"));
            assert_eq!(answer, libc::EAFNOSUPPORT.to_string(), "socket family {family} as {user}");
        }
        let raw = syscall(&mut node, user, "41, 2, 3, 1");
        assert_eq!(raw, eperm, "raw socket as {user}");
        // FS_IOC_SETFLAGS, FITRIM, FIFREEZE, EXT4_IOC_MOVE_EXT, BTRFS_IOC_SNAP_CREATE, TIOCSTI
        for number in ["0x40086602", "0xc0185879", "0xc0045877", "0xc028660f", "0x50009401", "0x5412"] {
            assert_eq!(syscall(&mut node, user, &format!("16, 0, {number}, 0")), eperm, "ioctl {number}");
        }
    }
    assert_eq!(syscall(&mut node, "root", "133, '/tmp/mem', 0x21b6, 0x101"), eperm, "mknod of a device");
    let status =
        node.sh("grep -E '^(CapEff|CapPrm|CapInh|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status");
    let root = "CapInh:\t0000000000000000\nCapPrm:\t00000000000405fb\nCapEff:\t00000000000405fb\n\
        CapBnd:\t00000000000405fb\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n";
    assert_eq!(status.text(), root);
    let status =
        node.exec(as_user("agent", shell("grep -c -E '^Cap(Eff|Prm|Inh|Amb):.0+$' /proc/self/status")));
    assert_eq!(status.text(), "4\n");
}

/// M1: init's memory, descriptors and control are out of reach, also for root.
#[test]
fn init_is_out_of_reach() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    for user in ["root", "agent"] {
        let script = "for f in mem maps environ auxv syscall stack io fd/0 fd/5 root cwd exe ns/user map_files; do \
            if cat /proc/1/$f >/dev/null 2>&1 || ls /proc/1/$f/ >/dev/null 2>&1 || readlink /proc/1/$f >/dev/null 2>&1; \
            then echo open: $f; fi; done; ls /proc/1/fd >/dev/null 2>&1 && echo open: fd; true";
        let outcome = node.exec(as_user(user, shell(script)));
        assert_eq!(outcome.text(), "", "as {user}");
    }
    let write =
        node.sh("echo 5 > /proc/1/oom_score_adj; echo x > /proc/1/mem; echo 0 > /proc/1/setgroups; true");
    assert_eq!(write.errors().matches("Permission denied").count(), 3, "{}", write.errors());
    let secret = node.sh(
        "cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -c -E 's3cr3[t]|launc[h]'",
    );
    assert_eq!(secret.text(), "0\n");
    let held = node.sh("ls -l /proc/self/fd | grep -v -E ' (0|1|2|3) -> ' | grep -c -- '->'");
    assert_eq!(held.text(), "0\n", "no descriptor of init's reaches a program");
    // From the host: nothing but what init needs.
    let fds = fs::read_dir(format!("/proc/{}/fd", sandbox.pid)).unwrap().count();
    assert!(fds < 20, "init holds {fds} descriptors");
}

/// M7, M11, F68: the dangerous files are hidden, the rest is read-only.
#[test]
fn proc_and_sys_are_masked() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let hidden = "for f in kcore keys key-users kallsyms kmsg kpagecount kpageflags kpagecgroup timer_list \
        sched_debug slabinfo vmallocinfo; do n=$(head -c 100 /proc/$f 2>/dev/null | wc -c); [ $n = 0 ] || echo $f; done; \
        for d in /proc/acpi /proc/scsi /sys/firmware /sys/kernel/debug /sys/kernel/security /sys/kernel/tracing; do \
        ls -A $d 2>/dev/null; done";
    assert_eq!(node.sh(hidden).text(), "");
    let written = "for f in /proc/sys/kernel/shmmax /proc/sys/net/ipv4/ip_forward /proc/sys/kernel/hostname \
        /proc/sysrq-trigger /proc/irq/default_smp_affinity /proc/sys/vm/drop_caches /sys/class/net/lo/mtu \
        /sys/kernel/mm/transparent_hugepage/enabled; do (echo 1 > $f) 2>/dev/null && echo $f; done; \
        touch /dev/x /dev/null2 /proc/x /sys/x 2>/dev/null && echo made; true";
    assert_eq!(node.sh(written).text(), "");
    let limits = node.sh(
        "ulimit -n 100000 2>/dev/null && echo raised; date -s '2001-01-01' >/dev/null 2>&1 && echo set; true",
    );
    assert_eq!(limits.text(), "");
    // All but the files that mirror (terabytes of) an address space.
    let all = "find /proc /sys -type f ! -name pagemap ! -name mem ! -name '*_pipe' 2>/dev/null \
        | xargs -n 100 timeout 10 head -c 65536 > /dev/null 2>&1 < /dev/null; echo read";
    assert_eq!(node.exec(with_timeout(60_000, shell(all))).text(), "read\n");
}

/// A set-user-id program on any mount gives nothing.
#[test]
fn set_user_id_is_without_effect() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    assert_eq!(node.sh("cp /usr/bin/id /tmp/id; chmod 4755 /tmp/id").code(), 0);
    let outcome = node.exec(as_user("agent", command(&["/tmp/id", "-u"])));
    assert_eq!(outcome.text(), "1000\n");
    let options = node
        .sh("cut -d' ' -f5,6 /proc/self/mountinfo | grep -E '^(/|/usr|/dev/shm) ' | grep -c nosuid")
        .text();
    assert_eq!(options, "3\n");
}

/// Other interfaces of the kernel are closed: 32-bit and x32 calls.
#[test]
fn other_call_interfaces_are_closed() {
    if !possible() {
        return;
    }
    let source = r#"
        #include <errno.h>
        #include <stdio.h>
        #include <unistd.h>
        #include <sys/syscall.h>
        int main(void) {
            long r;
            __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory"); /* getpid of i386 */
            printf("%ld ", r);
            r = syscall(0x40000000 | 39); /* getpid of x32 */
            printf("%ld %d\n", r, errno);
            return 0;
        }"#;
    let lab = Lab::open();
    let program = lab.scratch().join("lower/interfaces");
    let file = lab.scratch().join("interfaces.c");
    fs::write(&file, source).unwrap();
    match Command::new("cc").arg("-static").arg("-o").arg(&program).arg(&file).status() {
        Ok(status) if status.success() => {}
        other => return eprintln!("SKIPPED: no C compiler for the probe: {other:?}"),
    }
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let sandbox = lab.sandbox();
    let outcome = sandbox.node().exec(command(&["/interfaces"]));
    assert_eq!(outcome.text(), format!("-{} -1 {}\n", libc::ENOSYS, libc::ENOSYS));
}

/// The sandbox's limits are not init's: full of processes and out of memory, the channel answers.
#[test]
fn init_stands_outside_of_the_limits() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox_with(&Wishes::default());
    let own = fs::read_to_string(format!("/proc/{}/cgroup", sandbox.pid)).unwrap();
    for controller in ["memory", "cpu", "pids"] {
        let line = own.lines().find(|line| line.contains(&format!(":{controller}:"))).unwrap();
        assert!(line.ends_with("/guests"), "{line}");
    }
    assert!(own.lines().any(|line| line.starts_with("0::") && line.ends_with("/init")), "{own}");
    let mut node = sandbox.node();
    let id = node.start(&command(&["sleep", "60"]));
    while node.known(id).started.is_none() {
        node.step();
    }
    let work = sandbox.v2().join("work").join(format!("e-{id}/cgroup.procs"));
    let pid = fs::read_to_string(work).unwrap();
    let groups = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("cgroup")).unwrap();
    for expected in
        [format!("{}/e-{id}", sandbox.name), format!(":cpu:/{}", "dsec"), format!("/{}", sandbox.name)]
    {
        assert!(groups.contains(&expected), "{expected} in {groups}");
    }
    let score = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("oom_score_adj")).unwrap();
    assert_eq!(score, "500\n");
}
