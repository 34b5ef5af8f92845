// SPDX-License-Identifier: Apache-2.0
//! What is told of a file.

use super::Named;
use crate::sys::dir;
use crate::wire::files::{Entry, Failed, Stat, Type};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

pub fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// The last part of a path; the root has none.
pub fn name(path: &[u8]) -> &[u8] {
    path.split(|&byte| byte == b'/').rfind(|part| !part.is_empty()).unwrap_or(b"/")
}

pub fn stat(ask: &Stat) -> Result<Entry, Failed> {
    at(&ask.path, ask.follow)
}

pub fn at(file: &[u8], follow: bool) -> Result<Entry, Failed> {
    let found = if follow { fs::metadata(path(file)) } else { fs::symlink_metadata(path(file)) };
    let mut entry = of(name(file), &found.named("look at", file)?);
    if entry.kind() == Type::Link {
        entry.target = dir::read_link(dir::HERE, file).unwrap_or_default();
    }
    Ok(entry)
}

pub fn of(name: &[u8], found: &Metadata) -> Entry {
    let kind = match found.mode() & libc::S_IFMT {
        libc::S_IFDIR => Type::Directory,
        libc::S_IFLNK => Type::Link,
        libc::S_IFIFO => Type::Pipe,
        libc::S_IFSOCK => Type::Socket,
        libc::S_IFCHR => Type::CharacterDevice,
        libc::S_IFBLK => Type::BlockDevice,
        _ => Type::File,
    };
    Entry {
        name: name.to_vec(),
        kind: kind as i32,
        mode: found.mode() & 0o7777,
        size: found.size(),
        mtime_seconds: found.mtime(),
        mtime_nanos: found.mtime_nsec() as u32,
        uid: found.uid(),
        gid: found.gid(),
        target: Vec::new(),
    }
}

pub fn kind_name(kind: Type) -> &'static str {
    match kind {
        Type::File => "file",
        Type::Directory => "directory",
        Type::Link => "link",
        Type::Pipe => "pipe",
        Type::Socket => "socket",
        Type::CharacterDevice | Type::BlockDevice => "device",
    }
}
