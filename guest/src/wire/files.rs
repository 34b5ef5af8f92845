// SPDX-License-Identifier: Apache-2.0
//! The messages of `files.proto`, by hand: building needs no `protoc`. Tags and types follow that file.

use prost::{Enumeration, Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub struct Request {
    #[prost(oneof = "Ask", tags = "1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13")]
    pub body: Option<Ask>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Ask {
    #[prost(message, tag = "1")]
    Stat(Stat),
    #[prost(message, tag = "2")]
    Read(Read),
    #[prost(message, tag = "3")]
    Write(Write),
    #[prost(message, tag = "5")]
    List(List),
    #[prost(message, tag = "6")]
    MakeDirectory(MakeDirectory),
    #[prost(message, tag = "7")]
    Move(Move),
    #[prost(message, tag = "8")]
    Remove(Remove),
    #[prost(message, tag = "9")]
    ChangeMode(ChangeMode),
    #[prost(message, tag = "10")]
    ChangeOwner(ChangeOwner),
    #[prost(message, tag = "11")]
    Watch(Watch),
    #[prost(message, tag = "12")]
    Pack(Place),
    #[prost(message, tag = "13")]
    Unpack(Place),
}

#[derive(Clone, PartialEq, Message)]
pub struct Reply {
    #[prost(oneof = "Answer", tags = "1, 2, 3, 5, 6, 7, 8")]
    pub body: Option<Answer>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Answer {
    #[prost(message, tag = "1")]
    Failed(Failed),
    #[prost(message, tag = "2")]
    Entry(Entry),
    #[prost(message, tag = "3")]
    Opened(Opened),
    #[prost(message, tag = "5")]
    Listing(Listing),
    #[prost(message, tag = "6")]
    Done(Done),
    #[prost(message, tag = "7")]
    Ready(Ready),
    #[prost(message, tag = "8")]
    Change(Change),
}

#[derive(Clone, PartialEq, Message)]
pub struct Stat {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(bool, tag = "2")]
    pub follow: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Read {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(sint64, tag = "2")]
    pub from: i64,
    #[prost(uint64, tag = "3")]
    pub count: u64,
    #[prost(uint64, tag = "4")]
    pub most: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Opened {
    #[prost(message, optional, tag = "1")]
    pub entry: Option<Entry>,
    #[prost(uint64, tag = "2")]
    pub from: u64,
    #[prost(uint64, tag = "3")]
    pub count: u64,
    #[prost(bool, tag = "4")]
    pub too_long: bool,
    #[prost(bool, tag = "5")]
    pub unsatisfiable: bool,
    #[prost(bytes = "vec", tag = "6")]
    pub data: Vec<u8>,
    #[prost(bool, tag = "7")]
    pub complete: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Write {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(uint32, tag = "2")]
    pub mode: u32,
    #[prost(bool, tag = "3")]
    pub with_mode: bool,
    #[prost(bytes = "vec", tag = "4")]
    pub data: Vec<u8>,
    #[prost(bool, tag = "5")]
    pub complete: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct List {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub after: Vec<u8>,
    #[prost(uint32, tag = "3")]
    pub limit: u32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Listing {
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<Entry>,
    #[prost(bool, tag = "2")]
    pub more: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct MakeDirectory {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(uint32, tag = "2")]
    pub mode: u32,
    #[prost(bool, tag = "3")]
    pub parents: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Move {
    #[prost(bytes = "vec", tag = "1")]
    pub from: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub to: Vec<u8>,
    #[prost(bool, tag = "3")]
    pub keep: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Remove {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(bool, tag = "2")]
    pub recursive: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct ChangeMode {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(uint32, tag = "2")]
    pub mode: u32,
    #[prost(bool, tag = "3")]
    pub recursive: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct ChangeOwner {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(string, tag = "2")]
    pub owner: String,
    #[prost(bool, tag = "3")]
    pub recursive: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Watch {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(bool, tag = "2")]
    pub recursive: bool,
}

/// Of Pack and Unpack.
#[derive(Clone, PartialEq, Message)]
pub struct Place {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Done {
    #[prost(uint64, tag = "1")]
    pub count: u64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Ready {}

#[derive(Clone, PartialEq, Message)]
pub struct Entry {
    #[prost(bytes = "vec", tag = "1")]
    pub name: Vec<u8>,
    #[prost(enumeration = "Type", tag = "2")]
    pub kind: i32,
    #[prost(uint32, tag = "3")]
    pub mode: u32,
    #[prost(uint64, tag = "4")]
    pub size: u64,
    #[prost(sint64, tag = "5")]
    pub mtime_seconds: i64,
    #[prost(uint32, tag = "6")]
    pub mtime_nanos: u32,
    #[prost(uint32, tag = "7")]
    pub uid: u32,
    #[prost(uint32, tag = "8")]
    pub gid: u32,
    #[prost(bytes = "vec", tag = "9")]
    pub target: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Type {
    File = 0,
    Directory = 1,
    Link = 2,
    Pipe = 3,
    Socket = 4,
    CharacterDevice = 5,
    BlockDevice = 6,
}

#[derive(Clone, PartialEq, Message)]
pub struct Change {
    #[prost(enumeration = "ChangeKind", tag = "1")]
    pub kind: i32,
    #[prost(bytes = "vec", tag = "2")]
    pub path: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub from: Vec<u8>,
    #[prost(bool, tag = "4")]
    pub directory: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum ChangeKind {
    Created = 0,
    Modified = 1,
    Deleted = 2,
    Moved = 3,
    Attributes = 4,
    Overflow = 5,
    Gone = 6,
}

#[derive(Clone, PartialEq, Message)]
pub struct Failed {
    #[prost(enumeration = "Problem", tag = "1")]
    pub problem: i32,
    #[prost(uint32, tag = "2")]
    pub errno: u32,
    #[prost(string, tag = "3")]
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Problem {
    System = 0,
    NotRegular = 1,
    TooLarge = 2,
    BadEntry = 3,
    BadArchive = 4,
    Cut = 5,
    BadRequest = 6,
}

impl From<Ask> for Request {
    fn from(ask: Ask) -> Self {
        Request { body: Some(ask) }
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Reply { body: Some(answer) }
    }
}
