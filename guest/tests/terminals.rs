// SPDX-License-Identifier: Apache-2.0
//! Programs on a terminal: what they see of it, what is typed, what becomes of it.

mod support;

use dsec_guest::wire::guest::*;
use support::node::*;
use support::{Lab, eventually, possible};

fn on_terminal(columns: u32, rows: u32, start: Start) -> Start {
    let env = vec![b"PATH=/usr/bin:/bin".to_vec(), b"TERM=xterm".to_vec()];
    Start { terminal: Some(Size { columns, rows }), env, ..start }
}

/// Follows `exec` until its terminal shows `text`.
fn see(node: &mut Node, exec: u64, text: &str) {
    while !node.known(exec).text().contains(text) {
        assert!(node.known(exec).ended.is_none(), "{:?} without {text:?}", node.known(exec).text());
        node.step();
    }
}

fn type_in(node: &mut Node, exec: u64, offset: &mut u64, text: &[u8]) {
    let data = text.to_vec();
    node.send(Order::Stdin(Stdin { exec, offset: *offset, data, close: false }));
    *offset += text.len() as u64;
}

/// F60: sizes, their change, bounds.
#[test]
fn the_size_is_the_one_asked_for_and_changes() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let text = "stty size; tty; trap 'stty size; exit 4' WINCH; test -w $(tty) && echo mine; sleep 20 & wait";
    let id = node.start(&on_terminal(132, 43, as_user("agent", shell(text))));
    see(&mut node, id, "mine\r\n");
    assert!(node.known(id).text().starts_with("43 132\r\n/dev/pts/"), "{:?}", node.known(id).text());
    let size = |columns, rows| Some(Size { columns, rows });
    node.send(Order::Resize(Resize { exec: id, size: size(0, 0) }));
    node.send(Order::Resize(Resize { exec: id, size: size(100, 30) }));
    let outcome = node.follow(id);
    assert!(outcome.text().ends_with("30 100\r\n"), "{:?}", outcome.text());
    assert_eq!(outcome.code(), 4);
    for (columns, rows) in [(0, 0), (0, 24), (80, 1001), (1 << 20, 24)] {
        let outcome = node.exec(on_terminal(columns, rows, command(&["true"])));
        assert_eq!(outcome.ended().failure(), Failure::Invalid, "{columns} × {rows}");
    }
}

/// F60: keys reach the foreground group; so do signals; the end of input is typed.
#[test]
fn keys_and_signals_reach_the_foreground() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let start = on_terminal(80, 24, command(&["bash", "--norc", "--noediting"]));
    let id = node.start(&Start { env: vec![b"PATH=/usr/bin:/bin".to_vec(), b"PS1=> ".to_vec()], ..start });
    let mut at = 0;
    see(&mut node, id, "> ");
    // Each says by itself that it is in the foreground: a key that comes earlier would be the shell's.
    type_in(&mut node, id, &mut at, b"sh -c 'echo o''ne; exec sleep 100'\n");
    see(&mut node, id, "one\r\n");
    type_in(&mut node, id, &mut at, b"\x03");
    see(&mut node, id, "^C");
    type_in(&mut node, id, &mut at, b"echo $?-is-it; sh -c 'echo t''wo; exec sleep 101'\n");
    see(&mut node, id, "130-is-it\r\n");
    see(&mut node, id, "two\r\n");
    type_in(&mut node, id, &mut at, b"\x1a");
    see(&mut node, id, "Stopped");
    type_in(
        &mut node,
        id,
        &mut at,
        b"kill %1; (trap 'echo got-usr1; exit' USR1; echo re'a'dy; sleep 50 & wait)\n",
    );
    see(&mut node, id, "ready\r\n");
    node.signal(id, libc::SIGUSR1, Target::Group, Why::User);
    see(&mut node, id, "got-usr1");
    type_in(&mut node, id, &mut at, b"exit 7\n");
    assert_eq!(node.follow(id).code(), 7);

    let id = node.start(&on_terminal(80, 24, command(&["cat"])));
    node.send(Order::Stdin(Stdin { exec: id, offset: 0, data: b"half a line".to_vec(), close: true }));
    let outcome = node.follow(id);
    assert_eq!((outcome.code(), outcome.text().as_str()), (0, "half a linehalf a line"));
}

/// F60: 10 MB, read raw, with echo and without.
#[test]
fn a_large_paste_arrives_whole() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let line = b"0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQ\n"; // 64 bytes
    let paste: Vec<u8> = line.iter().copied().cycle().take(10 << 20).collect();
    for (modes, read) in [("raw -echo", "\n"), ("-echo", "\n"), ("icanon echo", "\n")] {
        let text = format!("stty {modes}; echo re'a'dy; head -c {} | cksum; stty sane", paste.len());
        let id = node.start(&on_terminal(80, 24, shell(&text)));
        see(&mut node, id, "ready");
        let mut sent = 0;
        while node.known(id).ended.is_none() {
            let end = paste.len().min(node.known(id).stdin_limit as usize).min(sent + MAX_DATA);
            if sent < end {
                let data = paste[sent..end].to_vec();
                node.send(Order::Stdin(Stdin { exec: id, offset: sent as u64, data, close: false }));
                sent = end;
            } else {
                node.step();
            }
        }
        let shown = node.follow(id).text();
        let expected = node.sh(&format!(
            "yes '{}' | head -c {} | cksum",
            "0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQ",
            paste.len()
        ));
        let sum = expected.text().trim().to_string();
        assert!(
            shown.contains(&sum),
            "{modes}{read}{:?} not {sum}",
            &shown[shown.len().saturating_sub(100)..]
        );
    }
}

/// The program's last words come before its end, however much of them the kernel still holds.
#[test]
fn the_end_of_the_output_is_not_lost() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    for round in 0..50 {
        let outcome =
            node.exec(on_terminal(80, 24, shell("head -c 60000 /dev/zero | tr '\\0' y; printf END")));
        assert_eq!(outcome.stdout.len(), 60_003, "round {round}");
        assert_eq!(outcome.ended().stdout_bytes, 60_003);
        assert!(outcome.text().ends_with("END"));
    }
    // What closes its terminal is not hung up on.
    let closing = "printf shown; exec 0<&- 1<&- 2<&-; sleep 0.2; exit 6";
    let outcome = node.exec(on_terminal(80, 24, shell(closing)));
    assert_eq!((outcome.code(), outcome.text().as_str()), (6, "shown"));
    let id = node.start(&on_terminal(80, 24, shell(
        "(trap '' HUP; : > /tmp/set; sleep 0.3; echo late) & until [ -e /tmp/set ]; do :; done; echo early",
    )));
    assert_eq!(node.follow(id).text(), "early\r\n");
    assert_eq!(node.follow_late(id).text(), "early\r\nlate\r\n");
}

/// A terminal whose output nobody takes stops its program, and Ctrl-C gets through.
#[test]
fn a_flood_that_nobody_reads_waits_and_can_be_interrupted() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let flood = on_terminal(80, 24, command(&["yes"]));
    let id = node.start(&Start { stdout_window: 100_000, ..flood });
    let mut got = 0;
    while got < 100_000 {
        if let Some(News::Output(output)) = node.next() {
            got += output.data.len();
        }
    }
    assert_eq!(node.sh("echo other").text(), "other\n");
    node.send(Order::Stdin(Stdin { exec: id, offset: 0, data: vec![3], close: false }));
    eventually("yes ends", || node.sh("pgrep -x yes || echo none").text() == "none\n");
    node.known(id).stdout = vec![0; got];
    node.acknowledge(id, 0, got as u64);
    let outcome = node.follow(id);
    assert_eq!((outcome.ended().kind(), outcome.ended().signal), (Kind::Signaled, 2));
}

#[test]
fn forgetting_a_terminal_hangs_up() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let text =
        "trap '' HUP; (while echo x; do sleep 0.05; done; echo hung-up > /tmp/told) 2>/dev/null & exit 3";
    let id = node.start(&on_terminal(80, 24, shell(text)));
    assert_eq!(node.follow(id).code(), 3);
    node.forget(id);
    eventually("the writer is told", || node.sh("cat /tmp/told 2>/dev/null").text() == "hung-up\n");
}

#[test]
fn an_empty_shell_text_is_a_login_shell() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let id = node.start(&Start { shell: true, ..on_terminal(80, 24, command(&[""])) });
    let mut at = 0;
    type_in(&mut node, id, &mut at, b"shopt -q login_shell && echo login-$((40 + 2)); exit\n");
    let outcome = node.follow(id);
    assert!(outcome.text().contains("login-42\r\n"), "{:?}", outcome.text());
}
