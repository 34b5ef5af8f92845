// SPDX-License-Identifier: Apache-2.0
//! The node's side of a guest channel, blocking, for tests.

use dsec_guest::wire::files::{Answer, Ask, Reply, Request, Write};
use dsec_guest::wire::frame::{self, FrameReader};
use dsec_guest::wire::guest::*;
use prost::Message;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

static IDS: AtomicU64 = AtomicU64::new(1);
const WINDOW: u64 = 1 << 20;

pub fn next_id() -> u64 {
    IDS.fetch_add(1, Ordering::Relaxed)
}

pub struct Node {
    pub stream: UnixStream,
    reader: FrameReader,
    pub welcome: Welcome,
    /// What is known of execs that nobody has collected yet.
    held: BTreeMap<u64, Outcome>,
}

/// All that came of one exec.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub started: Option<Started>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub ended: Option<Ended>,
    pub late: Option<Late>,
    pub stdin_limit: u64,
    pub stdin_closed: bool,
}

impl Outcome {
    pub fn ended(&self) -> &Ended {
        self.ended.as_ref().expect("no ending")
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    pub fn code(&self) -> u32 {
        assert_eq!(self.ended().kind(), Kind::Exited, "{:?} stderr {:?}", self.ended(), self.errors());
        self.ended().code
    }
}

/// `argv` as root, everything else at its default.
pub fn command(argv: &[&str]) -> Start {
    Start {
        exec: next_id(),
        argv: argv.iter().map(|text| text.as_bytes().to_vec()).collect(),
        env: vec![b"PATH=/usr/bin:/bin".to_vec()],
        cwd: b"/".to_vec(),
        user: "root".into(),
        stdout_window: WINDOW,
        stderr_window: WINDOW,
        ..Start::default()
    }
}

pub fn shell(text: &str) -> Start {
    command(&["sh", "-c", text])
}

pub fn as_user(user: &str, start: Start) -> Start {
    Start { user: user.into(), ..start }
}

pub fn with_timeout(timeout_ms: u64, start: Start) -> Start {
    Start { timeout_ms, ..start }
}

impl Node {
    pub fn connect(socket: &Path) -> Node {
        let mut node = Node::connect_silently(socket);
        node.send(Order::Hello(Hello { version: VERSION }));
        match node.next() {
            Some(News::Welcome(welcome)) => node.welcome = welcome,
            other => panic!("expected Welcome, got {other:?}"),
        }
        node
    }

    /// Without Hello.
    pub fn connect_silently(socket: &Path) -> Node {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Node { stream, reader: FrameReader::new(), welcome: Welcome::default(), held: BTreeMap::new() }
    }

    pub fn send(&mut self, order: Order) {
        let mut bytes = Vec::new();
        frame::append(&mut bytes, &ToGuest::from(order));
        self.stream.write_all(&bytes).unwrap();
    }

    /// None: the guest hung up.
    pub fn next(&mut self) -> Option<News> {
        loop {
            if let Some(bytes) = self.reader.next_frame().unwrap() {
                return Some(FromGuest::decode(bytes).unwrap().body.unwrap());
            }
            match self.reader.fill(&mut self.stream) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("nothing from the guest: {error}"),
            }
        }
    }

    /// The next message, once what it says about an exec has been added to what is known; output is acknowledged.
    pub fn step(&mut self) -> News {
        let news = self.next().expect("the guest hung up");
        match &news {
            News::Started(started) => self.known(started.exec).started = Some(*started),
            News::Ended(ended) => self.known(ended.exec).ended = Some(ended.clone()),
            News::Late(late) => self.known(late.exec).late = Some(*late),
            News::StdinWindow(window) => {
                let known = self.known(window.exec);
                known.stdin_limit = window.limit;
                known.stdin_closed = window.closed;
            }
            News::Output(output) => {
                let known = self.known(output.exec);
                assert!(known.late.is_none(), "output after Late");
                let kept = if output.stream == 0 { &mut known.stdout } else { &mut known.stderr };
                assert_eq!(output.offset, kept.len() as u64, "a gap or a repeat");
                kept.extend_from_slice(&output.data);
                let acked = kept.len() as u64;
                self.acknowledge(output.exec, output.stream, acked);
            }
            _ => {}
        }
        news
    }

    /// What is known of `exec` so far.
    pub fn known(&mut self, exec: u64) -> &mut Outcome {
        self.held.entry(exec).or_default()
    }

    pub fn acknowledge(&mut self, exec: u64, stream: i32, acked: u64) {
        self.send(Order::Window(Window { exec, stream, acked, limit: acked + WINDOW }));
    }

    /// Follows `exec` until it ends.
    pub fn follow(&mut self, exec: u64) -> Outcome {
        while self.known(exec).ended.is_none() {
            self.step();
        }
        self.known(exec).clone()
    }

    /// Follows `exec` until no more output can come.
    pub fn follow_late(&mut self, exec: u64) -> Outcome {
        while self.known(exec).late.is_none() {
            self.step();
        }
        self.known(exec).clone()
    }

    pub fn forget(&mut self, exec: u64) {
        self.held.remove(&exec);
        self.send(Order::Forget(Forget { exec }));
    }

    pub fn start(&mut self, start: &Start) -> u64 {
        self.send(Order::Start(start.clone()));
        start.exec
    }

    /// Start to end, then forgotten.
    pub fn exec(&mut self, start: Start) -> Outcome {
        let id = self.start(&start);
        let outcome = self.follow(id);
        self.forget(id);
        outcome
    }

    pub fn sh(&mut self, text: &str) -> Outcome {
        self.exec(shell(text))
    }

    pub fn ping(&mut self) -> u32 {
        let token = next_id();
        self.send(Order::Ping(Ping { token }));
        loop {
            match self.step() {
                News::Pong(pong) if pong.token == token => return pong.processes,
                _ => {}
            }
        }
    }

    pub fn signal(&mut self, exec: u64, signal: i32, target: Target, why: Why) {
        let (target, why) = (target as i32, why as i32);
        self.send(Order::Signal(Signal { exec, signal: signal as u32, target, why }));
    }

    /// Starts a file applet.
    pub fn files(&mut self, user: &str) -> u64 {
        let applet = Applet::Files as i32;
        let start = Start { applet, argv: Vec::new(), stdin: true, ..as_user(user, command(&[])) };
        self.start(&start)
    }

    /// Gives an exec input, as fast as it takes it; stops when it takes no more.
    pub fn feed(&mut self, exec: u64, from: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let room = self.known(exec).stdin_limit.saturating_sub(from + done as u64) as usize;
            if self.known(exec).stdin_closed || self.known(exec).ended.is_some() {
                return;
            }
            let count = room.min(MAX_DATA).min(bytes.len() - done);
            if count == 0 {
                self.step();
                continue;
            }
            let data = bytes[done..done + count].to_vec();
            self.send(Order::Stdin(Stdin { exec, offset: from + done as u64, data, close: false }));
            done += count;
        }
    }

    /// The answer of a file applet beyond the first `from` bytes that it said.
    pub fn answer(&mut self, exec: u64, from: usize) -> Answer {
        loop {
            let said = &self.known(exec).stdout[from..];
            if let Some(header) = said.first_chunk::<4>() {
                let length = u32::from_be_bytes(*header) as usize;
                if said.len() >= 4 + length {
                    return Reply::decode(&said[4..4 + length]).unwrap().body.unwrap();
                }
            }
            assert!(self.known(exec).ended.is_none(), "it ended: {:?}", self.known(exec));
            self.step();
        }
    }

    /// Writes a file; (errno, message).
    pub fn put(&mut self, path: &str, content: &[u8], mode: u32, user: &str) -> (u32, String) {
        let exec = self.files(user);
        while self.known(exec).started.is_none() {
            if let Some(ended) = self.known(exec).ended.clone() {
                return (ended.errno, ended.message);
            }
            self.step();
        }
        let write = Write { path: path.into(), mode, with_mode: mode > 0, ..Write::default() };
        let mut request = Vec::new();
        frame::append(&mut request, &Request::from(Ask::Write(write)));
        self.feed(exec, 0, &request);
        let mut answer = self.answer(exec, 0);
        if matches!(answer, Answer::Ready(_)) {
            let heard = self.known(exec).stdout.len();
            let mut pieces = Vec::new();
            for piece in content.chunks(MAX_DATA) {
                pieces.extend_from_slice(&(piece.len() as u32).to_be_bytes());
                pieces.extend_from_slice(piece);
            }
            pieces.extend_from_slice(&[0; 4]);
            self.feed(exec, request.len() as u64, &pieces);
            answer = self.answer(exec, heard);
        }
        self.signal(exec, libc::SIGKILL, Target::All, Why::User);
        self.follow(exec);
        self.forget(exec);
        match answer {
            Answer::Entry(_) => (0, String::new()),
            Answer::Failed(failed) => (failed.errno, failed.message),
            other => panic!("{other:?}"),
        }
    }
}

impl Node {
    /// Follows an exec whose first `offset` bytes of stdout were acknowledged on an earlier connection.
    pub fn follow_from(&mut self, exec: u64, offset: u64) -> Outcome {
        self.known(exec).stdout = vec![0; offset as usize];
        self.follow(exec)
    }
}
