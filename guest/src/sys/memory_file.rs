// SPDX-License-Identifier: Apache-2.0
//! Files that are nowhere but in memory.

use super::{check_int, dir};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// One with this content. Whoever opens it by /proc reads it from its start.
pub fn holding(content: &[u8]) -> io::Result<OwnedFd> {
    // SAFETY: the name is NUL-terminated.
    let fd = check_int(unsafe { libc::memfd_create(c"command".as_ptr(), libc::MFD_CLOEXEC) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    let file = unsafe { OwnedFd::from_raw_fd(fd) };
    let mut rest = content;
    while !rest.is_empty() {
        rest = &rest[dir::write_once(&file, rest)?..];
    }
    Ok(file)
}
