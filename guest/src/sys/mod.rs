// SPDX-License-Identifier: Apache-2.0
//! Thin, safe faces of the kernel calls that the standard library does not offer.

pub mod creds;
pub mod dir;
pub mod event;
pub mod fork;
pub mod memory_file;
pub mod mounts;
pub mod pipe;
pub mod pty;
pub mod region;
pub mod signals;
pub mod sockets;
pub mod time;

use std::ffi::CString;
use std::io;

/// The result of a system call made through libc: -1 means `errno`.
pub fn check(ret: i64) -> io::Result<i64> {
    if ret < 0 { Err(io::Error::last_os_error()) } else { Ok(ret) }
}

pub fn check_int(ret: i32) -> io::Result<i32> {
    if ret < 0 { Err(io::Error::last_os_error()) } else { Ok(ret) }
}

/// `bytes` for a C interface; a NUL inside is EINVAL.
pub fn c_string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// The error number of `error`, EIO when it has none.
pub fn errno(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

pub fn is_errno(error: &io::Error, number: i32) -> bool {
    error.raw_os_error() == Some(number)
}

/// Waits until one of the descriptors is as wished: (descriptor, POLLIN or POLLOUT; 0: left out).
pub fn poll(wishes: &[(i32, i16)]) -> io::Result<()> {
    let mut polled: Vec<libc::pollfd> = wishes
        .iter()
        .map(|&(fd, events)| libc::pollfd { fd: if events == 0 { -1 } else { fd }, events, revents: 0 })
        .collect();
    // SAFETY: `polled` is valid for its length.
    match check_int(unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, -1) }) {
        Err(error) if !is_errno(&error, libc::EINTR) => Err(error),
        _ => Ok(()),
    }
}
