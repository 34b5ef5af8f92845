// SPDX-License-Identifier: Apache-2.0
//! Creating sandboxes: what is inside, what fails cleanly, and what launch's own death means.

mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use support::node::*;
use support::{Lab, Wishes, eventually, possible};

#[test]
fn ids_on_disk_are_the_sandboxs_own() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    for upper_on_tmpfs in [false, true] {
        let sandbox = lab.sandbox_with(&Wishes { upper_on_tmpfs, ..Wishes::default() });
        let mut node = sandbox.node();
        let script = "echo a > /made; echo b > /given; chown 1000:1000 /given; chown 1000 /etc/hostname; \
            mkdir /dir; rm /etc/group; stat -c '%u:%g' /made /given /etc/hostname /etc/passwd /home/agent";
        let outcome = node.sh(script);
        assert_eq!(outcome.text(), "0:0\n1000:1000\n1000:0\n0:0\n1000:1000\n", "{}", outcome.errors());
        let owner = |name: &str| {
            let found = fs::symlink_metadata(sandbox.upper.join(name)).unwrap();
            (found.uid(), found.gid())
        };
        assert_eq!(owner("made"), (0, 0));
        assert_eq!(owner("given"), (1000, 1000));
        assert_eq!(owner("etc/hostname"), (1000, 0), "copied up");
        assert_eq!(owner("dir"), (0, 0));
        assert_eq!(owner("etc/group"), (0, 0), "a whiteout");
        let init = fs::metadata(format!("/proc/{}/ns/user", sandbox.pid));
        assert!(init.is_ok());
        assert!(fs::read_to_string(format!("/proc/{}/uid_map", sandbox.pid)).unwrap().contains("65536"));
    }
}

#[test]
fn a_sandbox_looks_like_a_machine_of_its_own() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let mut see = |script: &str| {
        let outcome = node.sh(script);
        format!("{}{}", outcome.text(), outcome.errors())
    };
    assert_eq!(see("ls /sys/class/net"), "lo\n");
    let lines = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 box\n";
    assert_eq!(see("cat /etc/hosts"), lines);
    assert_eq!(
        see("stat -c '%a %u:%g' /etc /etc/hosts; ls /etc"),
        "755 0:0\n644 0:0\ngroup\nhostname\nhosts\npasswd\n"
    );
    assert_eq!(
        see("echo 10.0.0.1 b >> /etc/hosts; mv /etc/hosts /etc/h; ls /etc; mv /etc/h /etc/hosts"),
        "group\nh\nhostname\npasswd\n"
    );
    assert_eq!(see("cat /sys/class/net/lo/operstate /proc/sys/kernel/hostname"), "unknown\nbox\n");
    assert_eq!(see("cat /proc/1/comm; tr -d '\\0' < /proc/1/cmdline"), "dsec-init\ndsec-init");
    assert_eq!(
        see("for n in null zero full random urandom; do head -c 1 /dev/$n > /dev/null || echo bad $n; done"),
        ""
    );
    assert_eq!(see("echo x > /dev/full"), "sh: 1: echo: echo: I/O error\n");
    assert_eq!(
        see("df -k /dev/shm | tail -1 | tr -s ' ' | cut -d' ' -f2; stat -c %a /dev/shm"),
        "65536\n1777\n"
    );
    assert_eq!(
        see("ls /dev/pts; stat -c %a /dev/ptmx /dev/pts/ptmx | tail -1; ls -d /dev/mqueue"),
        "ptmx\n666\n/dev/mqueue\n"
    );
    let pty = "perl -e 'open(F, \"+<\", \"/dev/ptmx\") or die $!; print \"ok\\n\"'";
    assert_eq!(see(pty), "ok\n");
    assert_eq!(
        see(
            "perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die; \
        IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $s->sockport) or die; print \"ok\\n\"'"
        ),
        "ok\n"
    );
    assert_eq!(see("grep -c -E 'sb-|dsec|\\.\\.' /proc/self/cgroup"), "0\n", "names of the platform");
    assert_eq!(see("ls /sys/fs/cgroup"), "cpu\nmemory\npids\n");
    let own = "cd /sys/fs/cgroup/memory$(grep :memory: /proc/self/cgroup | cut -d: -f3) && cat ../memory.limit_in_bytes \
        && grep hierarchical_memory_limit memory.stat && cat /sys/fs/cgroup/pids/pids.max";
    assert_eq!(see(own), "536870912\nhierarchical_memory_limit 536870912\n512\n");
    let writes = "cd /sys/fs/cgroup; mkdir memory/x x 2>/dev/null && echo made; \
        for f in memory/memory.limit_in_bytes memory/cgroup.procs pids/pids.max; do (echo 0 > $f) 2>/dev/null && echo $f; done; true";
    assert_eq!(see(writes), "");
    let mounts = see("cat /proc/self/mountinfo");
    assert!(!mounts.contains("/tmp/"), "paths of the host in {mounts}");
    assert_eq!(
        see("ls -A / | grep -v -E '^(bin|dev|etc|home|lib|lib64|proc|root|run|sbin|sys|tmp|usr|var)$'"),
        ""
    );
}

#[test]
fn the_layers_are_stacked_topmost_first() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let mut lowers = Vec::new();
    for name in ["top", "middle"] {
        let lower = lab.scratch().join(name);
        fs::create_dir_all(lower.join("etc")).unwrap();
        fs::write(lower.join("etc/layer"), name).unwrap();
        fs::write(lower.join(name), name).unwrap();
        lowers.push(lower.to_str().unwrap().to_string());
    }
    let sandbox = lab.sandbox_with(&Wishes { lowers, ..Wishes::default() });
    let outcome =
        sandbox.node().sh("cat /etc/layer /top /middle; echo changed > /top; cat /etc/passwd | wc -l");
    assert_eq!(outcome.text(), "toptopmiddle2\n");
    assert_eq!(fs::read_to_string(lab.scratch().join("top/top")).unwrap(), "top", "layers never change");
}

#[test]
fn a_create_that_fails_names_the_step_and_leaves_nothing() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let wishes = Wishes::default();
    let fail = |step: &str, change: &dyn Fn(&mut dsec_guest::wire::launch::LaunchRequest)| {
        let sandbox = lab.try_sandbox(&wishes, change);
        let reply = &sandbox.reply;
        assert!(!reply.ok && reply.pid == 0 && reply.errno > 0, "{reply:?}");
        assert_eq!(reply.step, step, "{}", reply.message);
        assert!(!sandbox.socket.exists(), "{step}: the socket is left");
        let procs = fs::read_to_string(sandbox.v2().join("init/cgroup.procs")).unwrap();
        assert_eq!(procs, "", "{step}: a process is left");
    };
    fail("check request", &|request| request.id_base = 0);
    fail("check request", &|request| request.upper = "relative".into());
    fail("open cgroup", &|request| request.v2_group = "/sys/fs/cgroup/unified/none".into());
    fail("open cgroup", &|request| request.join.push("/nope".into()));
    fail("listen", &|request| request.socket = "/nope/guest.sock".into());
    fail("clone layer", &|request| request.lowers.push("/nope".into()));
    fail("open upper", &|request| request.upper = format!("{}/nope", request.work));
    fail("open upper", &|request| request.work = request.upper.clone());
    fail("overlay", &|request| request.lowers = vec!["/dev/null".into()]);
    fail("clone bind", &|request| request.binds[0].source = "/nope".into());
    fail("attach bind", &|request| request.binds[0].target = "/nope".into());
    fail("clone dev", &|request| request.dev = "/nope".into());
    let sandbox = lab.sandbox();
    assert_eq!(sandbox.node().sh("echo fine").text(), "fine\n");
}

#[test]
fn the_guest_socket_is_the_owners_and_may_lie_deep() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let deep = lab.scratch().join("d".repeat(100)).join("e".repeat(100));
    fs::create_dir_all(&deep).unwrap();
    let sandbox = lab.try_sandbox(&Wishes::default(), |request| {
        request.socket = deep.join("guest.sock").to_str().unwrap().into();
    });
    assert!(sandbox.reply.ok, "{}", sandbox.reply.message);
    let mode = fs::metadata(deep.join("guest.sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// A sandbox's life does not hang on launch.
#[test]
fn launch_may_die_and_come_back() {
    if !possible() {
        return;
    }
    let mut lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let id = node.start(&shell("sleep 0.3; echo survived"));
    node.ping();
    lab.kill_launch();
    assert_eq!(node.follow(id).text(), "survived\n");
    assert_eq!(sandbox.node().sh("echo still here").text(), "still here\n");
    lab.start_launch();
    let second = lab.sandbox();
    assert_eq!(second.node().sh("echo second").text(), "second\n");
    lab.stop_launch();
    assert!(sandbox.alive() && second.alive());
    lab.start_launch();
    for sandbox in [sandbox, second] {
        sandbox.destroy();
        eventually("init is reaped", || !sandbox.alive());
    }
}

#[test]
fn start_ticks_are_those_of_the_process() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let stat = fs::read_to_string(Path::new("/proc").join(sandbox.pid.to_string()).join("stat")).unwrap();
    let ticks: u64 = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().parse().unwrap();
    assert_eq!(sandbox.reply.start_ticks, ticks);
}
