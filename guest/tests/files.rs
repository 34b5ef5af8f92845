// SPDX-License-Identifier: Apache-2.0
//! The file applet.

mod support;

use dsec_guest::wire::files::{Answer, Ask, Request, Write};
use dsec_guest::wire::frame;
use dsec_guest::wire::guest::*;
use std::os::unix::fs::MetadataExt;
use support::node::*;
use support::{Lab, Wishes, eventually, possible};

#[test]
fn content_arrives_whole_whatever_its_size() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    for size in [0, 1, 18_433, 131_072, 262_144, 1_048_577, 20_000_000] {
        let content: Vec<u8> = (0..size as u32).map(|n| (n * 31 % 253) as u8).collect();
        assert_eq!(node.put("/tmp/put", &content, 0, "agent").0, 0, "{size} bytes");
        let read = std::fs::read(sandbox.upper.join("tmp/put")).unwrap();
        assert!(read == content, "{size} bytes differ");
    }
}

/// F22: owner, mode and parents are the user's.
#[test]
fn files_belong_to_their_user() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let script = b"#!/bin/sh\necho ran\n";
    assert_eq!(node.put("/home/agent/a/b/c.sh", script, 0o755, "agent").0, 0);
    assert_eq!(node.put("/home/agent/a/b/c.sh", script, 0, "agent").0, 0);
    let look = node.sh("stat -c '%u:%g %a' /home/agent/a /home/agent/a/b /home/agent/a/b/c.sh");
    assert_eq!(look.text(), "1000:1000 755\n1000:1000 755\n1000:1000 755\n");
    let run = node.exec(as_user("agent", shell("/home/agent/a/b/c.sh && rm -r /home/agent/a")));
    assert_eq!(run.text(), "ran\n");
    assert_eq!(node.put("/tmp/plain", b"x", 0, "agent").0, 0);
    let disk = std::fs::metadata(sandbox.upper.join("tmp/plain")).unwrap();
    assert_eq!(
        (disk.uid(), disk.gid(), disk.mode() & 0o7777),
        (1000, 1000, 0o644),
        "ids on disk are its own"
    );
    assert_eq!(node.put("/root/mine", b"x", 0o4755, "root").0, 0);
    assert_eq!(node.sh("stat -c '%u %a' /root/mine").text(), "0 4755\n");
}

#[test]
fn what_cannot_be_written_says_why_and_leaves_nothing() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    node.sh("mkdir -p /tmp/dir; mkfifo -m 666 /tmp/fifo; ln -s loop /tmp/loop; ln -s / /tmp/r; echo old > /tmp/old");
    let mut why = |path: &str, user: &str| node.put(path, b"new", 0, user).0 as i32;
    assert_eq!(why("/root/no", "agent"), libc::EACCES);
    assert_eq!(why("/etc/no", "agent"), libc::EACCES);
    assert_eq!(why("/tmp/dir", "root"), libc::EISDIR);
    assert_eq!(why("/tmp/loop/x", "root"), libc::ELOOP);
    assert_eq!(why("/etc/passwd/x", "root"), libc::ENOTDIR);
    assert_eq!(why("/usr/no", "root"), libc::EROFS);
    assert_eq!(why("relative", "root"), libc::EINVAL);
    assert_eq!(why("/tmp/", "root"), libc::EISDIR);
    assert_ne!(why("/tmp/x", "nobody-here"), 0);
    assert_eq!(why("/tmp/fifo", "root"), libc::EINVAL, "a fifo is neither replaced nor waited for");
    assert_eq!(why("/tmp/r/tmp/through", "root"), 0, "links lead inside the sandbox");
    assert_eq!(node.sh("cat /tmp/through").text(), "new");
    assert!(!std::path::Path::new("/tmp/through").exists());

    let small = lab.sandbox();
    let mut node = small.node();
    assert_eq!(node.put("/dev/shm/old", b"old", 0, "root").0, 0);
    let (errno, message) = node.put("/dev/shm/old", &vec![1; 80 << 20], 0, "root");
    assert_eq!(errno as i32, libc::ENOSPC, "{message}");
    assert_eq!(node.sh("cat /dev/shm/old; ls -A /dev/shm").text(), "oldold\n");
    eventually("the applets' groups are removed", || small.exec_groups().is_empty());
}

/// F23: cut in the middle, the old content stays.
#[test]
fn a_write_that_is_cut_off_never_happened() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox_with(&Wishes::default());
    let mut node = sandbox.node();
    assert_eq!(node.put("/tmp/file", b"old", 0, "agent").0, 0);
    let exec = node.files("agent");
    while node.known(exec).started.is_none() {
        node.step();
    }
    let mut request = Vec::new();
    let write = Write { path: b"/tmp/file".to_vec(), ..Write::default() };
    frame::append(&mut request, &Request::from(Ask::Write(write)));
    node.feed(exec, 0, &request);
    assert!(matches!(node.answer(exec, 0), Answer::Ready(_)));
    node.feed(exec, request.len() as u64, &[&[0, 1, 0, 0][..], &[b'n'; 60_000]].concat());
    node.ping();
    let input = request.len() as u64 + 60_004;
    drop(node);
    let mut node = sandbox.node();
    node.known(exec).stdout = Vec::new();
    let heard =
        node.welcome.execs.iter().find(|status| status.exec == exec).map(|status| status.stdout_acked);
    node.known(exec).stdout = vec![0; heard.unwrap_or(0) as usize];
    node.send(Order::Stdin(Stdin { exec, offset: input, data: Vec::new(), close: true }));
    node.follow(exec);
    node.forget(exec);
    eventually("the temporary file is gone", || node.sh("ls -A /tmp").text() == "file\n");
    assert_eq!(node.sh("cat /tmp/file").text(), "old");
    eventually("the applet's group is removed", || sandbox.exec_groups().is_empty());
}
