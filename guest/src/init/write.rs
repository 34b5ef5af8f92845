// SPDX-License-Identifier: Apache-2.0
//! The forked child of a file write. It sees the sandbox as any process inside does, acts on files as the user, and
//! stays root otherwise so that the user cannot stop it.
//!
//! Its pipe carries pieces: a length (4 bytes, big-endian) and that many bytes; length 0 is the last chunk's end.
//! End-of-file before that means that the write is off.

use super::Post;
use super::child;
use super::groups::Group;
use super::identity::{self, Identity};
use super::refusal::Refusal;
use crate::launch::CAPABILITIES;
use crate::sys::{check, creds, dir, errno, fork, is_errno};
use crate::wire::guest::{Failure, FileBegin};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

const DEFAULT_MODE: u32 = 0o644;
const MODE_BITS: u32 = 0o7777;

/// Adds one chunk in the form that the child reads.
pub fn append(out: &mut Vec<u8>, data: &[u8], last: bool) {
    if !data.is_empty() {
        out.extend_from_slice(&(data.len() as u32).to_be_bytes());
        out.extend_from_slice(data);
    }
    if last {
        out.extend_from_slice(&0_u32.to_be_bytes());
    }
}

pub fn run(
    post: &Post,
    order: &FileBegin,
    group: &Group,
    cloned_into: bool,
    data: OwnedFd,
    status: OwnedFd,
) -> ! {
    let mut kept = [data.as_raw_fd(), status.as_raw_fd()];
    let done = child::move_in(post, group, cloned_into)
        .and_then(|()| dir::close_all_but(&mut kept))
        .map_err(|error| ("enter the sandbox's groups", error))
        .and_then(|()| write(order, File::from(data)));
    let outcome = match done {
        Ok(()) => Refusal::new(Failure::None, 0, ""),
        Err((what, error)) => {
            let path = String::from_utf8_lossy(&order.path);
            Refusal::new(Failure::None, errno(&error), format!("{what} {path:?}: {error}"))
        }
    };
    outcome.write(&status);
    fork::exit(0)
}

type Failed = (&'static str, io::Error);

fn write(order: &FileBegin, data: File) -> Result<(), Failed> {
    let identity = identity::resolve(&order.user)
        .map_err(|message| ("find the user of", io::Error::new(io::ErrorKind::InvalidInput, message)))?;
    act_as(&identity).map_err(|error| ("act as the user of", error))?;
    let (parents, name) = split(&order.path).map_err(|error| ("take as a file's path", error))?;
    let place = make_parents(parents).map_err(|error| ("make the directory of", error))?;
    let mode = mode_of(&place, name, order.mode).map_err(|error| ("replace", error))?;
    let temporary = format!(".dsec-{}-{}", order.op, std::process::id());
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
    let file = dir::open(place.as_fd(), &temporary, flags, 0o600).map_err(|error| ("create", error))?;
    let written = copy(data, File::from(file), mode)
        .and_then(|()| dir::rename(place.as_fd(), temporary.as_bytes(), name));
    written.map_err(|error| {
        let _ = dir::remove_file(place.as_fd(), &temporary);
        ("write", error)
    })
}

fn act_as(identity: &Identity) -> io::Result<()> {
    creds::become_ids(0, 0, &identity.groups)?;
    creds::set_file_ids(identity.uid, identity.gid);
    creds::set_capabilities(if identity.uid == 0 { CAPABILITIES } else { 0 })
}

fn split(path: &[u8]) -> io::Result<(&[u8], &[u8])> {
    let bad = || io::Error::from_raw_os_error(libc::EINVAL);
    let slash = path.iter().rposition(|&byte| byte == b'/').ok_or_else(bad)?;
    let (parents, name) = (&path[..slash], &path[slash + 1..]);
    match (path[0], name) {
        (b'/', name) if !matches!(name, b"" | b"." | b"..") && !path.contains(&0) => Ok((parents, name)),
        _ => Err(bad()),
    }
}

fn make_parents(path: &[u8]) -> io::Result<OwnedFd> {
    let mut place = dir::open_dir(dir::HERE, "/")?;
    for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        place = match dir::open_dir(place.as_fd(), name) {
            Err(error) if is_errno(&error, libc::ENOENT) => match dir::make_dir(place.as_fd(), name, 0o755) {
                Err(error) if !is_errno(&error, libc::EEXIST) => return Err(error),
                _ => dir::open_dir(place.as_fd(), name)?,
            },
            result => result?,
        };
    }
    Ok(place)
}

fn mode_of(place: &OwnedFd, name: &[u8], wanted: u32) -> io::Result<u32> {
    let existing = match dir::stat(place.as_fd(), name) {
        Ok(found) if dir::is_dir(&found) => return Err(io::Error::from_raw_os_error(libc::EISDIR)),
        Ok(found) if dir::is_regular(&found) => Some(found.st_mode),
        Err(error) if !is_errno(&error, libc::ENOENT) => return Err(error),
        _ => None,
    };
    let mode = if wanted == 0 { existing.unwrap_or(DEFAULT_MODE) } else { wanted };
    Ok(mode & MODE_BITS)
}

fn copy(mut data: File, mut file: File, mode: u32) -> io::Result<()> {
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let mut length = [0_u8; 4];
        data.read_exact(&mut length).map_err(cancelled)?;
        let mut left = u32::from_be_bytes(length) as usize;
        if left == 0 {
            // SAFETY: plain numbers and an open descriptor.
            return check(unsafe { libc::fchmod(file.as_raw_fd(), mode) }.into()).map(drop);
        }
        while left > 0 {
            let piece = left.min(buffer.len());
            let got = data.read(&mut buffer[..piece])?;
            if got == 0 {
                return Err(cancelled(io::ErrorKind::UnexpectedEof.into()));
            }
            file.write_all(&buffer[..got])?;
            left -= got;
        }
    }
}

fn cancelled(_: io::Error) -> io::Error {
    io::Error::from_raw_os_error(libc::ECANCELED)
}
