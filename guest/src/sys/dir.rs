// SPDX-License-Identifier: Apache-2.0
//! Files relative to a directory descriptor.

use super::{c_string, check, check_int};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// Stands for "relative to the working directory"; absolute paths ignore it.
pub const HERE: BorrowedFd<'static> =
    // SAFETY: AT_FDCWD is a constant that the *at calls accept; it is never closed.
    unsafe { BorrowedFd::borrow_raw(libc::AT_FDCWD) };

/// openat with O_CLOEXEC.
pub fn open(dir: BorrowedFd, path: impl AsRef<[u8]>, flags: i32, mode: u32) -> io::Result<OwnedFd> {
    let path = c_string(path.as_ref())?;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    let fd = unsafe { libc::openat(dir.as_raw_fd(), path.as_ptr(), flags | libc::O_CLOEXEC, mode) };
    let fd: RawFd = check_int(fd)?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A directory, to be used as an anchor only.
pub fn open_dir(dir: BorrowedFd, path: impl AsRef<[u8]>) -> io::Result<OwnedFd> {
    open(dir, path, libc::O_PATH | libc::O_DIRECTORY, 0)
}

pub fn make_dir(dir: BorrowedFd, path: impl AsRef<[u8]>, mode: u32) -> io::Result<()> {
    let path = c_string(path.as_ref())?;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    check_int(unsafe { libc::mkdirat(dir.as_raw_fd(), path.as_ptr(), mode) }).map(drop)
}

pub fn remove_dir(dir: BorrowedFd, path: impl AsRef<[u8]>) -> io::Result<()> {
    unlink_at(dir, path.as_ref(), libc::AT_REMOVEDIR)
}

pub fn remove_file(dir: BorrowedFd, path: impl AsRef<[u8]>) -> io::Result<()> {
    unlink_at(dir, path.as_ref(), 0)
}

fn unlink_at(dir: BorrowedFd, path: &[u8], flags: i32) -> io::Result<()> {
    let path = c_string(path)?;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    check_int(unsafe { libc::unlinkat(dir.as_raw_fd(), path.as_ptr(), flags) }).map(drop)
}

pub fn rename(dir: BorrowedFd, from: &[u8], to: &[u8]) -> io::Result<()> {
    let (from, to) = (c_string(from)?, c_string(to)?);
    // SAFETY: both names are NUL-terminated and outlive the call.
    let ret = unsafe { libc::renameat(dir.as_raw_fd(), from.as_ptr(), dir.as_raw_fd(), to.as_ptr()) };
    check_int(ret).map(drop)
}

/// chown of `path` below `dir`; an empty path means `dir` itself. Links are not followed.
pub fn chown(dir: BorrowedFd, path: &[u8], uid: u32, gid: u32) -> io::Result<()> {
    let path = c_string(path)?;
    let flags = libc::AT_EMPTY_PATH | libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    check_int(unsafe { libc::fchownat(dir.as_raw_fd(), path.as_ptr(), uid, gid, flags) }).map(drop)
}

/// Type, mode and owner of `path` below `dir`; links are not followed, an empty path means `dir` itself.
pub fn stat(dir: BorrowedFd, path: impl AsRef<[u8]>) -> io::Result<libc::stat> {
    let path = c_string(path.as_ref())?;
    let mut found = std::mem::MaybeUninit::<libc::stat>::zeroed();
    let flags = libc::AT_EMPTY_PATH | libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: `path` is NUL-terminated, `found` has the right size, and both outlive the call.
    check_int(unsafe { libc::fstatat(dir.as_raw_fd(), path.as_ptr(), found.as_mut_ptr(), flags) })?;
    // SAFETY: the call succeeded and filled it.
    Ok(unsafe { found.assume_init() })
}

pub fn is_dir(found: &libc::stat) -> bool {
    found.st_mode & libc::S_IFMT == libc::S_IFDIR
}

pub fn is_regular(found: &libc::stat) -> bool {
    found.st_mode & libc::S_IFMT == libc::S_IFREG
}

/// Writes `text` to an existing file in one call.
pub fn write_file(dir: BorrowedFd, path: impl AsRef<[u8]>, text: &[u8]) -> io::Result<()> {
    let mut file = File::from(open(dir, path, libc::O_WRONLY, 0)?);
    file.write_all(text)
}

/// At most `limit` bytes of a file.
pub fn read_file(dir: BorrowedFd, path: impl AsRef<[u8]>, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::from(open(dir, path, libc::O_RDONLY | libc::O_NOCTTY, 0)?);
    read_limited(file, limit)
}

pub fn read_limited(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.take(limit).read_to_end(&mut text)?;
    Ok(text)
}

/// One write to a descriptor that stays open.
pub fn write_once(fd: impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: `bytes` is valid for its length.
    let ret = unsafe { libc::write(fd.as_fd().as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    check(ret as i64).map(|written| written as usize)
}

/// Closes every descriptor above the standard ones that is not in `kept`, whoever believes to own it: for a forked
/// process that never returns to those owners.
pub fn close_all_but(kept: &mut [RawFd]) -> io::Result<()> {
    kept.sort_unstable();
    let mut first = 3;
    for &fd in kept.iter() {
        if first < fd {
            close_range(first, fd as u32 - 1)?;
        }
        first = fd + 1;
    }
    close_range(first, u32::MAX)
}

fn close_range(first: RawFd, last: u32) -> io::Result<()> {
    // SAFETY: the caller has left every owner of these descriptors behind.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) }).map(drop)
}

/// Makes `fd` available as descriptor number `number`, without close-on-exec.
pub fn place(fd: impl AsFd, number: RawFd) -> io::Result<()> {
    let source = fd.as_fd().as_raw_fd();
    if source == number {
        // SAFETY: clears the flags of an open descriptor.
        return check_int(unsafe { libc::fcntl(source, libc::F_SETFD, 0) }).map(drop);
    }
    // SAFETY: plain numbers; whatever `number` was is closed by the kernel.
    check_int(unsafe { libc::dup2(source, number) }).map(drop)
}
