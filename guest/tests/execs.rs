// SPDX-License-Identifier: Apache-2.0
//! Execs: what they run as, what they say, how it is told.

mod support;

use dsec_guest::wire::guest::*;
use std::time::{Duration, Instant};
use support::node::*;
use support::{Lab, eventually, possible};

#[test]
fn an_exec_says_what_it_says_and_ends_as_it_ends() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    assert_eq!(node.welcome.sandbox, sandbox.name);
    let outcome = node.exec(command(&["echo", "hello"]));
    assert_eq!((outcome.text().as_str(), outcome.code()), ("hello\n", 0));
    assert!(outcome.started.unwrap().pid > 1);
    let ended = outcome.ended();
    assert_eq!((ended.stdout_bytes, ended.stderr_bytes, ended.disk_full), (6, 0, false));
    assert!(ended.duration_ns > 0 && ended.cpu_ns > 0 && ended.peak_memory > 0, "{ended:?}");
    let outcome = node.sh("echo out; echo err >&2; exit 3");
    assert_eq!((outcome.text().as_str(), outcome.errors().as_str(), outcome.code()), ("out\n", "err\n", 3));
    let raw = node.sh(r"printf 'ok\377\376\n'");
    assert_eq!(raw.stdout, b"ok\xff\xfe\n");
    eventually("exec groups are removed", || sandbox.exec_groups().is_empty());
}

/// From before the clone, so that a program that does nothing still shows what running it took.
#[test]
fn the_duration_counts_from_the_start_of_the_process() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let mut timed = |argv: &[&str]| {
        let begun = Instant::now();
        let took = Duration::from_nanos(node.exec(command(argv)).ended().duration_ns);
        assert!(took < begun.elapsed(), "{argv:?}: {took:?}");
        took
    };
    let nothing = timed(&["true"]);
    assert!(nothing > Duration::from_micros(200), "fork, limits, identity, filter, execve: {nothing:?}");
    assert!(timed(&["sleep", "0.2"]) >= Duration::from_millis(200));
}

/// F1: the call ends with its process; what a background child writes later still comes.
#[test]
fn a_background_child_does_not_hold_the_exec() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    for _ in 0..30 {
        let begun = Instant::now();
        let outcome = node.sh("sleep 30 & echo started");
        assert_eq!((outcome.text().as_str(), outcome.code()), ("started\n", 0));
        assert!(begun.elapsed() < Duration::from_secs(1));
    }
    assert_eq!(node.ping(), 30, "background children live on");
    assert_eq!(sandbox.exec_groups().len(), 30);
    node.sh("kill -9 -1");
    eventually("groups go with the last process", || sandbox.exec_groups().is_empty());

    let id = node.start(&shell("(sleep 0.2; echo late; sleep 0.1) & echo early"));
    let outcome = node.follow(id);
    assert_eq!((outcome.text().as_str(), outcome.ended().stdout_bytes), ("early\n", 6));
    let outcome = node.follow_late(id);
    assert_eq!((outcome.text().as_str(), outcome.late.unwrap().stdout_bytes), ("early\nlate\n", 11));

    // After Forget a writer neither blocks nor gets SIGPIPE.
    node.sh("(yes | head -c 3000000; echo $? > /tmp/wrote) & true");
    let mut wrote = String::new();
    eventually("the forgotten writer finishes", || {
        wrote = node.sh("cat /tmp/wrote").text();
        !wrote.is_empty()
    });
    assert_eq!(wrote, "0\n");
}

/// A flood from the background must not keep the ending back.
#[test]
fn a_flooding_background_child_does_not_delay_the_ending() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let id = node.start(&shell("yes & exit 4"));
    let outcome = node.follow(id);
    assert_eq!(outcome.code(), 4);
    node.signal(id, libc::SIGKILL, Target::All, Why::User);
    node.follow_late(id);
}

/// F5: the last bytes are there, always, and the ending comes after them.
#[test]
fn output_is_whole_when_the_machine_is_busy() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let load = node.start(&shell("for i in 1 2 3; do while :; do :; done & done; wait"));
    for _ in 0..60 {
        let outcome = node.sh("head -c 65536 /dev/zero | tr '\\0' y; printf END");
        assert_eq!(outcome.stdout.len(), 65_539);
        assert!(outcome.stdout.ends_with(b"yEND") && outcome.late.is_none());
        assert_eq!(outcome.ended().stdout_bytes, 65_539);
    }
    node.signal(load, libc::SIGKILL, Target::All, Why::User);
    node.follow(load);
}

/// F7: nobody waits for a stdin that nobody gave.
#[test]
fn stdin_is_at_its_end_unless_given() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    assert_eq!(node.exec(command(&["cat"])).code(), 0);
    assert_eq!(node.sh("read x; echo got=$x").text(), "got=\n");
    let open = Start { stdin: true, ..command(&["echo", "hi"]) };
    assert_eq!(node.exec(open).text(), "hi\n");

    let start = Start { stdin: true, ..command(&["sha256sum"]) };
    let id = node.start(&start);
    let content: Vec<u8> = (0..3_000_000_u32).map(|n| (n * 7 % 251) as u8).collect();
    let mut sent = 0;
    while node.known(id).ended.is_none() {
        let limit = node.known(id).stdin_limit as usize;
        while sent < content.len().min(limit) {
            let end = content.len().min(limit).min(sent + 100_000);
            // Each piece repeats some of the last: what is known already must be ignored.
            let from = sent.saturating_sub(1000);
            let close = end == content.len();
            node.send(Order::Stdin(Stdin {
                exec: id,
                offset: from as u64,
                data: content[from..end].into(),
                close,
            }));
            sent = end;
        }
        node.step();
    }
    let outcome = node.follow(id);
    let expected = node.exec(command(&[
        "perl",
        "-e",
        "use Digest::SHA; binmode STDOUT; \
        print Digest::SHA::sha256_hex(join '', map { chr(($_ * 7 % 4294967296) % 251) } 0..2999999)",
    ]));
    assert_eq!(outcome.text().split(' ').next(), Some(expected.text().as_str()));

    let closed = Start { stdin: true, ..shell("exec <&-; sleep 0.2; echo still here") };
    let id = node.start(&closed);
    while !node.known(id).stdin_closed {
        node.step();
    }
    assert!(node.known(id).ended.is_none(), "the node hears of it before the end");
    assert_eq!(node.follow(id).text(), "still here\n");
}

/// F26, F22: each reason has its own name.
#[test]
fn what_cannot_start_says_why() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    node.sh("mkdir -m 700 /tmp/closed; echo text > /tmp/text; chmod 644 /tmp/text; \
        printf '#!/nonexistent/interpreter\n' > /tmp/orphan; echo junk > /tmp/junk; chmod 755 /tmp/orphan /tmp/junk");
    let mut why = |start: Start| {
        let outcome = node.exec(start);
        assert_eq!(outcome.ended().kind(), Kind::NotStarted, "{:?}", outcome.ended());
        assert!(outcome.started.is_none() && !outcome.ended().message.is_empty());
        outcome.ended().failure()
    };
    let at = |cwd: &str| Start { cwd: cwd.into(), ..as_user("agent", command(&["pwd"])) };
    for cwd in ["/nope", "/etc/passwd", "relative", "/tmp/closed", "/root"] {
        assert_eq!(why(at(cwd)), Failure::BadCwd, "{cwd}");
    }
    assert_eq!(why(command(&["nosuchbin"])), Failure::ProgramNotFound);
    assert_eq!(why(command(&["/nosuchbin"])), Failure::ProgramNotFound);
    for program in ["/tmp/text", "/tmp", "/tmp/orphan", "/tmp/junk"] {
        assert_eq!(why(command(&[program])), Failure::NotExecutable, "{program}");
    }
    assert_eq!(why(as_user("nobody-here", command(&["true"]))), Failure::BadUser);
    assert_eq!(why(as_user("agent:nogroup", command(&["true"]))), Failure::BadUser);
    assert_eq!(why(as_user("70000", command(&["true"]))), Failure::BadUser);
    assert_eq!(why(command(&[])), Failure::Invalid);
    assert_eq!(why(command(&["echo", "a\0b"])), Failure::Invalid);
    assert_eq!(why(command(&["echo", &"x".repeat(200_000)])), Failure::Invalid);
    assert_eq!(node.sh("echo fine").text(), "fine\n");
}

#[test]
fn who_and_where() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let user =
        node.exec(as_user("agent", Start { cwd: vec![], ..shell("id; pwd; echo $HOME $USER $LOGNAME") }));
    assert_eq!(
        user.text(),
        "uid=1000(agent) gid=1000(agent) groups=1000(agent),50(staff)\n/home/agent\n/home/agent agent agent\n"
    );
    let root = node.exec(Start { cwd: vec![], ..shell("id -u; pwd; umask; hostname; ulimit -n; ulimit -c") });
    assert_eq!(root.text(), "0\n/root\n0022\nbox\n4096\n0\n");
    assert_eq!(node.exec(as_user("1234:77", shell("id -u; id -G"))).text(), "1234\n77\n");
    let own = Start { env: vec![b"HOME=/mine".to_vec(), b"PATH=/usr/bin".to_vec()], ..shell("echo $HOME") };
    assert_eq!(node.exec(own).text(), "/mine\n");
    let line = Start { shell: true, ..command(&["echo $0; shopt login_shell 2>/dev/null"]) };
    assert_eq!(node.exec(line.clone()).text(), "/bin/bash\nlogin_shell    \toff\n");
    let login = Start { login: true, exec: next_id(), ..line };
    assert_eq!(node.exec(login).text(), "/bin/bash\nlogin_shell    \ton\n");
    let made = Start {
        cwd: b"/work/deep/er".to_vec(),
        create_cwd: true,
        ..as_user("agent", shell("pwd; stat -c %u . .."))
    };
    assert_eq!(node.exec(made).text(), "/work/deep/er\n1000\n1000\n");
    node.sh("rm -f /etc/passwd /etc/group; ln -s /dev/zero /etc/passwd; mkfifo /etc/group");
    assert_eq!(node.exec(as_user("1000:1000", shell("id -u"))).text(), "1000\n");
    assert_eq!(node.exec(as_user("agent", shell("id -u"))).ended().failure(), Failure::BadUser);
    assert_eq!(node.sh("echo root works").text(), "root works\n");
}

/// F29: nothing stays a zombie, and no status is stolen.
#[test]
fn orphans_are_reaped_and_codes_are_right() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let orphans = node.start(&shell("for i in $(seq 200); do (sleep 0.01 &); done; sleep 0.5"));
    for _ in 0..60 {
        assert_eq!(node.exec(command(&["sh", "-c", "exit 9"])).code(), 9);
    }
    let count = "grep -l '^State:.*Z' /proc/[0-9]*/status 2>/dev/null | wc -l";
    eventually("no zombie is left", || node.sh(count).text() == "0\n");
    node.signal(orphans, libc::SIGKILL, Target::All, Why::User);
    node.follow(orphans);
    eventually("nothing is left", || node.ping() == 0);
}
