// SPDX-License-Identifier: Apache-2.0
//! The messages of `guest.proto`, by hand: building needs no `protoc`. Tags and types follow that file.

use prost::{Enumeration, Message, Oneof};

pub const VERSION: u32 = 1;
/// Most data in one Output or Stdin.
pub const MAX_DATA: usize = 256 * 1024;

#[derive(Clone, PartialEq, Message)]
pub struct ToGuest {
    #[prost(oneof = "Order", tags = "1, 2, 3, 4, 5, 6, 7, 20, 21")]
    pub body: Option<Order>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Order {
    #[prost(message, tag = "1")]
    Hello(Hello),
    #[prost(message, tag = "2")]
    Start(Start),
    #[prost(message, tag = "3")]
    Stdin(Stdin),
    #[prost(message, tag = "4")]
    Window(Window),
    #[prost(message, tag = "5")]
    Signal(Signal),
    #[prost(message, tag = "6")]
    Forget(Forget),
    #[prost(message, tag = "7")]
    Ping(Ping),
    #[prost(message, tag = "20")]
    Hold(Hold),
    #[prost(message, tag = "21")]
    Resize(Resize),
}

#[derive(Clone, PartialEq, Message)]
pub struct FromGuest {
    #[prost(oneof = "News", tags = "1, 2, 3, 4, 5, 6, 8")]
    pub body: Option<News>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum News {
    #[prost(message, tag = "1")]
    Welcome(Welcome),
    #[prost(message, tag = "2")]
    Started(Started),
    #[prost(message, tag = "3")]
    Output(Output),
    #[prost(message, tag = "4")]
    Ended(Ended),
    #[prost(message, tag = "5")]
    StdinWindow(StdinWindow),
    #[prost(message, tag = "6")]
    Pong(Pong),
    #[prost(message, tag = "8")]
    Late(Late),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Stream {
    Stdout = 0,
    Stderr = 1,
}

#[derive(Clone, PartialEq, Message)]
pub struct Hello {
    #[prost(uint32, tag = "1")]
    pub version: u32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Welcome {
    #[prost(uint32, tag = "1")]
    pub version: u32,
    #[prost(string, tag = "2")]
    pub sandbox: String,
    #[prost(message, repeated, tag = "3")]
    pub execs: Vec<ExecStatus>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct ExecStatus {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(bool, tag = "2")]
    pub started: bool,
    #[prost(bool, tag = "3")]
    pub ended: bool,
    #[prost(uint64, tag = "4")]
    pub stdout_acked: u64,
    #[prost(uint64, tag = "5")]
    pub stderr_acked: u64,
    #[prost(uint64, tag = "6")]
    pub stdin_received: u64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Hold {
    #[prost(bool, tag = "1")]
    pub on: bool,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Ping {
    #[prost(uint64, tag = "1")]
    pub token: u64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Pong {
    #[prost(uint64, tag = "1")]
    pub token: u64,
    #[prost(uint32, tag = "2")]
    pub processes: u32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Start {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub argv: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub env: Vec<Vec<u8>>,
    #[prost(bytes = "vec", tag = "4")]
    pub cwd: Vec<u8>,
    #[prost(bool, tag = "5")]
    pub create_cwd: bool,
    #[prost(string, tag = "6")]
    pub user: String,
    #[prost(bool, tag = "7")]
    pub stdin: bool,
    #[prost(uint64, tag = "8")]
    pub timeout_ms: u64,
    #[prost(uint64, tag = "9")]
    pub stdout_window: u64,
    #[prost(uint64, tag = "10")]
    pub stderr_window: u64,
    #[prost(bool, tag = "11")]
    pub shell: bool,
    #[prost(bool, tag = "12")]
    pub login: bool,
    #[prost(enumeration = "Applet", tag = "20")]
    pub applet: i32,
    #[prost(message, optional, tag = "21")]
    pub terminal: Option<Size>,
    #[prost(bool, tag = "22")]
    pub session_shell: bool,
    #[prost(uint64, tag = "23")]
    pub session: u64,
    #[prost(bool, tag = "24")]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Applet {
    Program = 0,
    Connect = 1,
    Files = 2,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Size {
    #[prost(uint32, tag = "1")]
    pub columns: u32,
    #[prost(uint32, tag = "2")]
    pub rows: u32,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Resize {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(message, optional, tag = "2")]
    pub size: Option<Size>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Started {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(uint32, tag = "2")]
    pub pid: u32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Stdin {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(uint64, tag = "2")]
    pub offset: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub data: Vec<u8>,
    #[prost(bool, tag = "4")]
    pub close: bool,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct StdinWindow {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(uint64, tag = "2")]
    pub limit: u64,
    #[prost(bool, tag = "3")]
    pub closed: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Output {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(enumeration = "Stream", tag = "2")]
    pub stream: i32,
    #[prost(uint64, tag = "3")]
    pub offset: u64,
    #[prost(bytes = "vec", tag = "4")]
    pub data: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Window {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(enumeration = "Stream", tag = "2")]
    pub stream: i32,
    #[prost(uint64, tag = "3")]
    pub acked: u64,
    #[prost(uint64, tag = "4")]
    pub limit: u64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Signal {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(uint32, tag = "2")]
    pub signal: u32,
    #[prost(enumeration = "Target", tag = "3")]
    pub target: i32,
    #[prost(enumeration = "Why", tag = "4")]
    pub why: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Target {
    Process = 0,
    Group = 1,
    All = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Why {
    User = 0,
    Timeout = 1,
    Reclaim = 2,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Forget {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Ended {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(enumeration = "Kind", tag = "2")]
    pub kind: i32,
    #[prost(uint32, tag = "3")]
    pub code: u32,
    #[prost(uint32, tag = "4")]
    pub signal: u32,
    #[prost(enumeration = "Failure", tag = "5")]
    pub failure: i32,
    #[prost(uint32, tag = "6")]
    pub errno: u32,
    #[prost(string, tag = "7")]
    pub message: String,
    #[prost(uint64, tag = "8")]
    pub stdout_bytes: u64,
    #[prost(uint64, tag = "9")]
    pub stderr_bytes: u64,
    #[prost(uint64, tag = "10")]
    pub duration_ns: u64,
    #[prost(uint64, tag = "11")]
    pub cpu_ns: u64,
    #[prost(uint64, tag = "12")]
    pub peak_memory: u64,
    #[prost(bool, tag = "13")]
    pub disk_full: bool,
    #[prost(bool, tag = "14")]
    pub open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Kind {
    Exited = 0,
    Signaled = 1,
    Timeout = 2,
    Oom = 3,
    Killed = 4,
    NotStarted = 5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Failure {
    None = 0,
    BadCwd = 1,
    ProgramNotFound = 2,
    NotExecutable = 3,
    BadUser = 4,
    TooMany = 5,
    NoResources = 6,
    Invalid = 7,
    SessionBusy = 8,
    SessionEnded = 9,
    Applet = 20,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Late {
    #[prost(uint64, tag = "1")]
    pub exec: u64,
    #[prost(uint64, tag = "2")]
    pub stdout_bytes: u64,
    #[prost(uint64, tag = "3")]
    pub stderr_bytes: u64,
}

impl From<News> for FromGuest {
    fn from(news: News) -> Self {
        FromGuest { body: Some(news) }
    }
}

impl From<Order> for ToGuest {
    fn from(order: Order) -> Self {
        ToGuest { body: Some(order) }
    }
}
