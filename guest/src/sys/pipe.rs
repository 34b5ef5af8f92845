// SPDX-License-Identifier: Apache-2.0
//! Pipes: the inside end stays blocking, the outside end does not.

use super::{check, check_int};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

pub struct Pipe {
    pub reader: OwnedFd,
    pub writer: OwnedFd,
}

pub fn pipe() -> io::Result<Pipe> {
    let mut ends = [-1; 2];
    // SAFETY: `ends` has room for both descriptors.
    check_int(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: the kernel has just made these descriptors for us.
    Ok(unsafe { Pipe { reader: OwnedFd::from_raw_fd(ends[0]), writer: OwnedFd::from_raw_fd(ends[1]) } })
}

/// The two ends have separate flags, so this leaves the other end blocking.
pub fn set_nonblocking(end: BorrowedFd) -> io::Result<()> {
    // SAFETY: sets flags of an open descriptor that we alone use.
    check_int(unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) }).map(drop)
}

/// Bytes that wait in the pipe.
pub fn waiting(reader: BorrowedFd) -> u64 {
    let mut count: i32 = 0;
    // SAFETY: FIONREAD stores one int.
    match unsafe { libc::ioctl(reader.as_raw_fd(), libc::FIONREAD, &mut count) } {
        0 => count as u64,
        _ => 0,
    }
}

/// Asks for a larger pipe; one that may not grow works too.
pub fn widen(end: BorrowedFd, bytes: i32) {
    // SAFETY: plain numbers.
    unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) };
}

/// Throws away what the pipe holds: Ok(0) is end-of-file.
pub fn discard(reader: BorrowedFd, null: BorrowedFd) -> io::Result<usize> {
    const MOST: usize = 1024 * 1024;
    // SAFETY: null offsets and plain numbers.
    let moved = unsafe {
        libc::splice(
            reader.as_raw_fd(),
            std::ptr::null_mut(),
            null.as_raw_fd(),
            std::ptr::null_mut(),
            MOST,
            libc::SPLICE_F_NONBLOCK,
        )
    };
    check(moved as i64).map(|moved| moved as usize)
}

/// One read of at most `into.len()` bytes.
pub fn read(reader: impl AsFd, into: &mut [u8]) -> io::Result<usize> {
    // SAFETY: `into` is valid for its length.
    let got = unsafe { libc::read(reader.as_fd().as_raw_fd(), into.as_mut_ptr().cast(), into.len()) };
    check(got as i64).map(|got| got as usize)
}
