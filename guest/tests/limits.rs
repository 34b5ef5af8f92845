// SPDX-License-Identifier: Apache-2.0
//! Limits and bad endings: each is told apart, and neither init nor a neighbour is hurt.

mod support;

use dsec_guest::wire::guest::*;
use std::time::{Duration, Instant};
use support::node::*;
use support::{Lab, Wishes, eventually, possible};

/// F9: every ending is told apart.
#[test]
fn endings_are_told_apart() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox_with(&Wishes { memory: 96 << 20, ..Wishes::default() });
    let mut node = sandbox.node();
    assert_eq!(node.sh("exit 124").code(), 124);
    assert_eq!(node.sh("exit 137").code(), 137);
    let killed = node.sh("kill -9 $$");
    assert_eq!((killed.ended().kind(), killed.ended().signal), (Kind::Signaled, 9));
    let late = node.exec(with_timeout(200, command(&["sleep", "60"])));
    assert_eq!(late.ended().kind(), Kind::Timeout);
    let hog = || command(&["perl", "-e", "$x = 'x' x (400 << 20); print 'done'"]);
    for _ in 0..2 {
        let outcome = node.exec(hog());
        assert_eq!(outcome.ended().kind(), Kind::Oom, "{:?} {}", outcome.ended(), outcome.errors());
    }
    assert_eq!(node.sh("echo alive").text(), "alive\n");
    let killed = node.sh("kill -9 $$");
    assert_eq!(killed.ended().kind(), Kind::Signaled, "a kill after an oom is still a kill");
}

/// F45: a child is the victim, the shell would go on; the exec as a whole ends `oom`, and others do not.
#[test]
fn a_memory_kill_of_any_process_ends_its_whole_exec() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox_with(&Wishes { memory: 96 << 20, ..Wishes::default() });
    let mut node = sandbox.node();
    let bystander = node.start(&command(&["sleep", "60"]));
    let script = "perl -e '$x = \"x\" x (400 << 20)'; echo child gave $?; sleep 30; exit 0";
    let outcome = node.exec(shell(script));
    assert_eq!(outcome.ended().kind(), Kind::Oom, "{:?}", outcome.ended());
    assert!(outcome.ended().duration_ns < 10_000_000_000);
    let script =
        "for i in 1 2 3 4 5 6 7 8; do perl -e '$x = \"x\" x (30 << 20); sleep 60' & done; wait; exit 0";
    let outcome = node.exec(shell(script));
    assert_eq!(outcome.ended().kind(), Kind::Oom, "{:?}", outcome.ended());
    eventually("only the bystander is left", || node.ping() == 1);
    assert_eq!(node.sh("true").code(), 0);
    node.signal(bystander, libc::SIGTERM, Target::Process, Why::User);
    let ended = node.follow(bystander);
    assert_eq!((ended.ended().kind(), ended.ended().signal), (Kind::Signaled, 15));
}

/// F2: everything the exec started goes, and nothing else.
#[test]
fn a_timeout_kills_all_descendants_and_keeps_the_output() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let sentinel = node.start(&command(&["sleep", "600"]));
    let script = "trap '' TERM; echo before; echo err >&2; \
        setsid sh -c 'while :; do date +%s%N > /tmp/tick; sleep 0.05; done' & kill -STOP 0; sleep 600";
    let outcome = node.exec(with_timeout(300, shell(script)));
    assert_eq!(outcome.ended().kind(), Kind::Timeout);
    assert_eq!((outcome.text().as_str(), outcome.errors().as_str()), ("before\n", "err\n"));
    let duration = Duration::from_nanos(outcome.ended().duration_ns);
    assert!((250..1300).contains(&duration.as_millis()), "{duration:?}");
    eventually("only the sentinel is left", || node.ping() == 1);
    for _ in 0..40 {
        node.exec(with_timeout(10, command(&["sleep", "0.01"])));
    }
    node.signal(sentinel, 0, Target::Process, Why::User);
    assert_eq!(node.ping(), 1, "the sentinel is untouched");
    node.signal(sentinel, libc::SIGKILL, Target::All, Why::Reclaim);
    assert_eq!(node.follow(sentinel).ended().kind(), Kind::Killed);
}

/// F44: forks fail inside only; init goes on.
#[test]
fn a_fork_bomb_meets_its_limit_and_ends() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox_with(&Wishes { pids: 100, ..Wishes::default() });
    let neighbour = lab.sandbox();
    let (mut node, mut other) = (sandbox.node(), neighbour.node());
    let bomb = node.start(&with_timeout(1500, command(&["bash", "-c", ":(){ :|:& };:; wait; sleep 9"])));
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(800) {
        let asked = Instant::now();
        assert_eq!(other.exec(command(&["true"])).code(), 0);
        assert!(asked.elapsed() < Duration::from_secs(1));
        assert_eq!(node.exec(command(&["true"])).code(), 0, "an exec still starts in the full sandbox");
    }
    assert!(node.ping() <= 102);
    let outcome = node.follow(bomb);
    assert_eq!(outcome.ended().kind(), Kind::Timeout);
    eventually("the bomb is gone", || node.ping() == 0);
    assert_eq!(node.sh("echo ok | cat").text(), "ok\n");
}

/// M9: what a root inside may try against PID 1.
#[test]
fn init_survives_its_sandbox() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    for script in [
        "kill -9 1; kill -STOP 1; kill -TERM 1; kill -ABRT 1",
        "kill -9 -1",
        "kill -STOP -1 & sleep 0.1",
        "for s in $(seq 1 64); do kill -$s 1 2>/dev/null; done",
        "exec 0<&- 1>&- 2>&-; for i in 3 4 5 6 7 8 9; do eval \"exec $i>&-\"; done",
        "rm -rf /etc /bin/sh /home 2>/dev/null; true",
    ] {
        node.exec(with_timeout(2000, shell(script)));
        assert!(sandbox.alive(), "after {script}");
        assert_eq!(node.exec(command(&["/usr/bin/echo", "alive"])).text(), "alive\n", "after {script}");
    }
}

#[test]
fn more_execs_than_init_holds_are_refused() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox_with(&Wishes { pids: 2000, ..Wishes::default() });
    let mut node = sandbox.node();
    let all: Vec<u64> = (0..512).map(|_| node.start(&command(&["sleep", "60"]))).collect();
    let refused = node.exec(command(&["true"]));
    assert_eq!(refused.ended().failure(), Failure::TooMany);
    for id in all {
        node.signal(id, libc::SIGKILL, Target::All, Why::User);
        node.follow(id);
        node.forget(id);
    }
    assert_eq!(node.exec(command(&["true"])).code(), 0);
    eventually("exec groups are removed", || sandbox.exec_groups().is_empty());
}

#[test]
fn a_full_disk_is_told() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox_with(&Wishes { disk: Some(8 << 20), ..Wishes::default() });
    let mut node = sandbox.node();
    assert!(!node.sh("exit 1").ended().disk_full);
    let shm = node.sh("head -c 100M /dev/zero > /dev/shm/fill");
    assert_ne!(shm.ended().code, 0, "/dev/shm is limited");
    assert!(!shm.ended().disk_full, "/dev/shm is not the writable layer");
    let full = node.sh("echo before > /tmp/kept; head -c 100M /dev/zero > /tmp/fill");
    assert!(full.errors().contains("No space left"), "{}", full.errors());
    assert!(full.ended().disk_full);
    assert!(!node.sh("true").ended().disk_full, "only a bad ending asks");
    let (errno, _) = node.put("/tmp/kept", &[1; 1 << 20], 0, "root");
    assert_eq!(errno as i32, libc::ENOSPC);
    assert_eq!(node.sh("ls -A /tmp; cat /tmp/kept").text(), "fill\nkept\nbefore\n", "no partial file");
    node.sh("rm /tmp/fill");
    assert_eq!(node.put("/tmp/kept", &[1; 1 << 20], 0, "root").0, 0);
}

/// Frozen processes do not use up their time; the limit holds again afterwards.
#[test]
fn no_time_limit_runs_while_the_sandbox_is_held() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    node.send(Order::Hold(Hold { on: true }));
    let begun = Instant::now();
    let outcome = node.exec(with_timeout(100, command(&["sleep", "0.4"])));
    assert_eq!(outcome.code(), 0, "held: {:?}", outcome.ended());
    let late = node.start(&with_timeout(300, command(&["sleep", "60"])));
    node.send(Order::Hold(Hold { on: false }));
    assert_eq!(node.follow(late).ended().kind(), Kind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(10));
}
