// SPDX-License-Identifier: Apache-2.0
//! Thin, safe faces of the kernel calls that the standard library does not offer.

pub mod creds;
pub mod dir;
pub mod event;
pub mod fork;
pub mod mounts;
pub mod pipe;
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
