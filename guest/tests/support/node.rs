// SPDX-License-Identifier: Apache-2.0
//! The node's side of a guest channel, blocking, for tests.

use dsec_guest::wire::frame::{self, FrameReader};
use dsec_guest::wire::guest::*;
use prost::Message;
use std::io::Write;
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
}

/// All that came of one exec.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub started: Option<Started>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub ended: Option<Ended>,
    pub late: Option<Late>,
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
        Node { stream, reader: FrameReader::new(), welcome: Welcome::default() }
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

    /// Adds one message to what is known of `exec`; acknowledges output at once.
    pub fn take(&mut self, exec: u64, outcome: &mut Outcome, news: News) {
        match news {
            News::Started(started) if started.exec == exec => outcome.started = Some(started),
            News::Output(output) if output.exec == exec => {
                let kept = if output.stream == 0 { &mut outcome.stdout } else { &mut outcome.stderr };
                assert!(outcome.ended.is_none() || outcome.late.is_none(), "output after Late");
                assert_eq!(output.offset, kept.len() as u64, "a gap or a repeat");
                kept.extend_from_slice(&output.data);
                let acked = kept.len() as u64;
                self.acknowledge(exec, output.stream, acked);
            }
            News::Ended(ended) if ended.exec == exec => outcome.ended = Some(ended),
            News::Late(late) if late.exec == exec => outcome.late = Some(late),
            _ => {}
        }
    }

    pub fn acknowledge(&mut self, exec: u64, stream: i32, acked: u64) {
        self.send(Order::Window(Window { exec, stream, acked, limit: acked + WINDOW }));
    }

    /// Follows `exec` until it ends.
    pub fn follow(&mut self, exec: u64) -> Outcome {
        let mut outcome = Outcome::default();
        while outcome.ended.is_none() {
            let news = self.next().expect("the guest hung up");
            self.take(exec, &mut outcome, news);
        }
        outcome
    }

    pub fn start(&mut self, start: &Start) -> u64 {
        self.send(Order::Start(start.clone()));
        start.exec
    }

    /// Start to end, then forgotten.
    pub fn exec(&mut self, start: Start) -> Outcome {
        let id = self.start(&start);
        let outcome = self.follow(id);
        self.send(Order::Forget(Forget { exec: id }));
        outcome
    }

    pub fn sh(&mut self, text: &str) -> Outcome {
        self.exec(shell(text))
    }

    pub fn ping(&mut self) -> u32 {
        let token = next_id();
        self.send(Order::Ping(Ping { token }));
        loop {
            match self.next().expect("the guest hung up") {
                News::Pong(pong) if pong.token == token => return pong.processes,
                _ => {}
            }
        }
    }

    pub fn signal(&mut self, exec: u64, signal: i32, target: Target, why: Why) {
        let (target, why) = (target as i32, why as i32);
        self.send(Order::Signal(Signal { exec, signal: signal as u32, target, why }));
    }

    /// Writes a file in chunks; (errno, message).
    pub fn put(&mut self, path: &str, content: &[u8], mode: u32, user: &str) -> (u32, String) {
        let op = next_id();
        self.send(Order::FileBegin(FileBegin { op, path: path.into(), mode, user: user.into() }));
        for data in content.chunks(MAX_DATA) {
            self.send(Order::FileChunk(FileChunk { op, data: data.to_vec(), last: false }));
        }
        self.send(Order::FileChunk(FileChunk { op, data: Vec::new(), last: true }));
        loop {
            match self.next().expect("the guest hung up") {
                News::FileDone(done) if done.op == op => return (done.errno, done.message),
                _ => {}
            }
        }
    }
}
