// SPDX-License-Identifier: Apache-2.0
//! Shell sessions: a shell whose state stays, commands with an ending and output of their own.

mod support;

use dsec_guest::wire::guest::*;
use std::time::{Duration, Instant};
use support::node::*;
use support::{Lab, eventually, possible};

fn open(node: &mut Node, shell: &str) -> u64 {
    let start = as_user("agent", Start { session_shell: true, ..command(&[shell]) });
    let id = node.start(&start);
    while node.known(id).started.is_none() {
        node.step();
    }
    id
}

fn begin(node: &mut Node, session: u64, text: &str) -> u64 {
    node.start(&Start { session, ..command(&[text]) })
}

fn run(node: &mut Node, session: u64, text: &str) -> Outcome {
    let id = begin(node, session, text);
    let outcome = node.follow(id);
    eprintln!("{text:.60}: {:?} {:?}", outcome.ended(), outcome.errors()); // shown when the test fails
    eprintln!("shell: {:?}", node.known(session).errors());
    node.forget(id);
    outcome
}

/// F24, and what a session is for; with bash and without.
#[test]
fn state_stays_and_text_is_what_it_is() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    for shell in ["", "/bin/sh"] {
        let s = open(&mut node, shell);
        assert_eq!(run(&mut node, s, "cd /tmp; x=5; export y=6; f() { echo fun $x; }; umask 077").code(), 0);
        assert_eq!(
            run(&mut node, s, "pwd; f; sh -c 'echo $y'; umask; id -un; false").text(),
            "/tmp\nfun 5\n6\n0077\nagent\n"
        );
        assert_eq!(run(&mut node, s, "echo $?").text(), "1\n");
        let apart = run(&mut node, s, "echo out; echo err >&2; (exit 7)");
        assert_eq!((apart.text().as_str(), apart.errors().as_str(), apart.code()), ("out\n", "err\n", 7));
        assert_eq!(run(&mut node, s, "cat <<'EOF'\nl1\n$HOME\nEOF").text(), "l1\n$HOME\n");
        let open = run(&mut node, s, "echo 'open");
        assert_ne!(open.code(), 0);
        assert!(
            open.errors().to_lowercase().contains("unterminated") || open.errors().contains("unexpected EOF")
        );
        if shell.is_empty() {
            let open = run(&mut node, s, "echo before; cat <<EOF\nno end");
            assert_eq!((open.code(), open.text().as_str()), (2, ""));
            assert!(open.errors().contains("syntax error: here-document at line"), "{}", open.errors());
        }
        assert_eq!(run(&mut node, s, "echo a # comment").text(), "a\n");
        assert_eq!(run(&mut node, s, "echo z").text(), "z\n");
        assert_eq!(
            run(&mut node, s, "read l; cat; echo l=$l; ls -1 /proc/self/fd | wc -l").text(),
            "l=\n4\n"
        );
        assert_ne!(run(&mut node, s, "set -u; echo $nothing_here").code(), 0);
        assert_eq!(run(&mut node, s, "set +u; echo still $x").text(), "still 5\n");
        let long = format!(": {}\necho end", "x".repeat(300_000));
        assert_eq!(run(&mut node, s, &long).text(), "end\n");
    }
}

/// Late output is that of the run that left it; a run does not wait for what it leaves in the background.
#[test]
fn background_jobs_keep_to_their_run() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let s = open(&mut node, "");
    let first = begin(&mut node, s, "(until test -e /tmp/go; do sleep 0.02; done; echo late) & echo started");
    assert_eq!(node.follow(first).text(), "started\n");
    assert_eq!(run(&mut node, s, "touch /tmp/go; wait; echo second").text(), "second\n");
    assert_eq!(node.follow_late(first).text(), "started\nlate\n");
}

/// F55: one at a time; an interrupt ends what runs, and state stays.
#[test]
fn one_run_at_a_time_and_an_interrupt_ends_it() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    for shell in ["", "/bin/sh"] {
        let s = open(&mut node, shell);
        run(&mut node, s, "kept=yes");
        // The program itself says that it is there: an interrupt while the shell only makes it may be lost on it.
        for text in ["sh -c 'echo on; exec sleep 100'; echo never", "echo on; while :; do :; done"] {
            let id = begin(&mut node, s, text);
            while node.known(id).text() != "on\n" {
                node.step();
            }
            let busy = run(&mut node, s, "echo second");
            assert_eq!(busy.ended().failure(), Failure::SessionBusy);
            assert!(busy.ended().message.contains(&format!("e-{id}")));
            node.signal(id, libc::SIGINT, Target::Group, Why::User);
            let outcome = node.follow(id);
            assert_eq!((outcome.code(), outcome.text().as_str()), (130, "on\n"), "{shell} {text}");
        }
        assert_eq!(run(&mut node, s, "echo $kept").text(), "yes\n");
    }
}

/// A time limit kills what the run has started, whatever it is; the shell stays where it can.
#[test]
fn a_time_limit_spares_the_shell() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let s = open(&mut node, "");
    run(&mut node, s, "kept=yes");
    let texts = [
        "setsid sh -c 'trap \"\" TERM INT; while :; do date +%s%N > /tmp/tick; sleep 0.05; done' & sleep 100",
        "while :; do sleep 0.3; done",
        "while :; do :; done",
        "sleep 100; echo never",
    ];
    for text in texts {
        let begun = Instant::now();
        let outcome = node.exec(with_timeout(300, Start { session: s, ..command(&[text]) }));
        assert_eq!(outcome.ended().kind(), Kind::Timeout, "{text}");
        assert!(begun.elapsed() < Duration::from_millis(1300), "{text}");
        assert_eq!(run(&mut node, s, "echo $kept").text(), "yes\n", "after {text}");
    }
    for text in ["trap '' INT; while :; do :; done", "kill -STOP 0; sleep 100"] {
        let s = open(&mut node, "");
        let begun = Instant::now();
        let outcome = node.exec(with_timeout(300, Start { session: s, ..command(&[text]) }));
        assert_eq!(outcome.ended().kind(), Kind::Timeout, "{text}");
        assert!(begun.elapsed() < Duration::from_millis(2300), "{text}");
        assert_eq!(node.follow(s).ended().signal, 9, "a shell that does not come back ends");
        assert_eq!(run(&mut node, s, "true").ended().failure(), Failure::SessionEnded);
    }
    let ticks = |node: &mut Node| node.sh("cat /tmp/tick").text();
    let last = ticks(&mut node);
    node.sh("sleep 0.2");
    assert_eq!(ticks(&mut node), last, "what it started in a session of its own is gone too");
}

/// exit, exec and a kill end the session with the ending of that run.
#[test]
fn what_ends_the_shell_is_the_ending_of_its_run() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    for (text, kind, number, output) in [
        ("echo bye; exit 3", Kind::Exited, 3, "bye\n"),
        ("exec sh -c 'echo me; exit 7'", Kind::Exited, 7, "me\n"),
        ("echo x; kill -9 $$", Kind::Signaled, 9, "x\n"),
        ("set -e; false; echo no", Kind::Exited, 1, ""),
    ] {
        let s = open(&mut node, "");
        let outcome = run(&mut node, s, text);
        let ended = outcome.ended();
        assert_eq!(
            (ended.kind(), ended.code + ended.signal, outcome.text().as_str()),
            (kind, number, output)
        );
        let shell = node.follow(s);
        assert_eq!((shell.ended().kind(), shell.ended().code + shell.ended().signal), (kind, number));
        assert_eq!(run(&mut node, s, "true").ended().failure(), Failure::SessionEnded);
    }
    let s = open(&mut node, "");
    run(&mut node, s, "kill -9 -1"); // all but the shell, which it spares, and so the session's holder too
    node.sh("kill -9 -1");
    assert_eq!(node.follow(s).ended().signal, 9);
    eventually("groups go", || sandbox.exec_groups().is_empty());
}

/// An out-of-memory kill ends the run, not the shell.
#[test]
fn a_run_out_of_memory_ends_as_such() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let s = open(&mut node, "");
    run(&mut node, s, "kept=yes");
    let outcome = run(&mut node, s, "perl -e '$x = \"y\" x (1 << 31); sleep 50'; echo survived; sleep 50");
    assert_eq!(outcome.ended().kind(), Kind::Oom, "{:?}", outcome.ended());
    let after = run(&mut node, s, "echo $kept");
    assert_eq!((after.ended().kind(), after.text().as_str()), (Kind::Exited, "yes\n"));
}
