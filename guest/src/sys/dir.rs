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

/// The same under a number that is out of the way of those that programs get.
pub fn raise(fd: impl AsFd) -> io::Result<OwnedFd> {
    const LOWEST: i32 = 16;
    // SAFETY: an open descriptor and a plain number.
    let raised = check_int(unsafe { libc::fcntl(fd.as_fd().as_raw_fd(), libc::F_DUPFD_CLOEXEC, LOWEST) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(raised) })
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

/// As `open`, of a path that may not leave `dir`, by links neither; EXDEV when it would.
pub fn open_beneath(dir: BorrowedFd, path: impl AsRef<[u8]>, flags: i32) -> io::Result<OwnedFd> {
    const RESOLVE_NO_MAGICLINKS: u64 = 0x02;
    const RESOLVE_BENEATH: u64 = 0x08;
    let path = c_string(path.as_ref())?;
    // SAFETY: all of its fields are plain numbers.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = (flags | libc::O_CLOEXEC) as u64;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    // SAFETY: `path` and `how` are valid and outlive the call.
    let fd = check(unsafe {
        libc::syscall(libc::SYS_openat2, dir.as_raw_fd(), path.as_ptr(), &raw const how, size_of_val(&how))
    })?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Where the link `path` below `dir` leads.
pub fn read_link(dir: BorrowedFd, path: impl AsRef<[u8]>) -> io::Result<Vec<u8>> {
    let path = c_string(path.as_ref())?;
    let mut target = vec![0_u8; libc::PATH_MAX as usize];
    // SAFETY: `path` is NUL-terminated and `target` valid for its length.
    let length =
        unsafe { libc::readlinkat(dir.as_raw_fd(), path.as_ptr(), target.as_mut_ptr().cast(), target.len()) };
    target.truncate(check(length as i64)? as usize);
    Ok(target)
}

/// Another name for `from`; when `follow` holds and that is a link, for what it leads to.
pub fn link(
    from_dir: BorrowedFd,
    from: impl AsRef<[u8]>,
    dir: BorrowedFd,
    name: &[u8],
    follow: bool,
) -> io::Result<()> {
    let (from, name) = (c_string(from.as_ref())?, c_string(name)?);
    let flags = if follow { libc::AT_SYMLINK_FOLLOW } else { 0 };
    // SAFETY: both names are NUL-terminated and outlive the call.
    let ret =
        unsafe { libc::linkat(from_dir.as_raw_fd(), from.as_ptr(), dir.as_raw_fd(), name.as_ptr(), flags) };
    check_int(ret).map(drop)
}

pub fn symlink(target: &[u8], dir: BorrowedFd, name: &[u8]) -> io::Result<()> {
    let (target, name) = (c_string(target)?, c_string(name)?);
    // SAFETY: both texts are NUL-terminated and outlive the call.
    check_int(unsafe { libc::symlinkat(target.as_ptr(), dir.as_raw_fd(), name.as_ptr()) }).map(drop)
}

pub fn make_pipe(dir: BorrowedFd, name: &[u8], mode: u32) -> io::Result<()> {
    let name = c_string(name)?;
    // SAFETY: `name` is NUL-terminated and outlives the call.
    check_int(unsafe { libc::mkfifoat(dir.as_raw_fd(), name.as_ptr(), mode) }).map(drop)
}

/// Renames without replacing anything.
pub fn rename_new(from: &[u8], to: &[u8]) -> io::Result<()> {
    let (from, to) = (c_string(from)?, c_string(to)?);
    let here = libc::AT_FDCWD;
    // SAFETY: both names are NUL-terminated and outlive the call.
    let ret = unsafe {
        libc::syscall(libc::SYS_renameat2, here, from.as_ptr(), here, to.as_ptr(), libc::RENAME_NOREPLACE)
    };
    check(ret).map(drop)
}

pub fn set_mode(file: impl AsFd, mode: u32) -> io::Result<()> {
    // SAFETY: plain numbers and an open descriptor.
    check_int(unsafe { libc::fchmod(file.as_fd().as_raw_fd(), mode) }).map(drop)
}

/// Owner of an open file.
pub fn set_owner(file: impl AsFd, uid: u32, gid: u32) -> io::Result<()> {
    // SAFETY: plain numbers and an open descriptor.
    check_int(unsafe { libc::fchown(file.as_fd().as_raw_fd(), uid, gid) }).map(drop)
}

/// Time of the last change of `name`, links not followed; the time of access becomes the same.
pub fn set_time(dir: BorrowedFd, name: &[u8], seconds: i64, nanos: u32) -> io::Result<()> {
    let name = c_string(name)?;
    let time = libc::timespec { tv_sec: seconds, tv_nsec: i64::from(nanos) };
    let times = [time, time];
    // SAFETY: `name` is NUL-terminated; it and `times` outlive the call.
    let ret =
        unsafe { libc::utimensat(dir.as_raw_fd(), name.as_ptr(), times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW) };
    check_int(ret).map(drop)
}

/// Whether this process's user may write to `name`.
pub fn may_write(dir: BorrowedFd, name: &[u8]) -> io::Result<()> {
    let name = c_string(name)?;
    // SAFETY: `name` is NUL-terminated and outlives the call.
    check_int(unsafe { libc::faccessat(dir.as_raw_fd(), name.as_ptr(), libc::W_OK, 0) }).map(drop)
}
