// SPDX-License-Identifier: Apache-2.0
//! Signal dispositions and masks.

use super::{check, check_int};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

const LAST_SIGNAL: i32 = 64;

fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: sigemptyset initialises the set, sigaddset then changes it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for &signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Blocks exactly `signals`.
pub fn block_only(signals: &[i32]) {
    let set = set_of(signals);
    // SAFETY: `set` is valid; the old mask is not wanted.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut()) };
}

/// Every signal gets its default action, whatever was inherited.
pub fn restore_defaults() {
    for signal in 1..=LAST_SIGNAL {
        set_action(signal, libc::SIG_DFL);
    }
}

pub fn restore_default(signal: i32) {
    set_action(signal, libc::SIG_DFL);
}

pub fn ignore(signal: i32) {
    set_action(signal, libc::SIG_IGN);
}

fn set_action(signal: i32, action: libc::sighandler_t) {
    // SAFETY: no handler code is installed, only the two constants.
    unsafe { libc::signal(signal, action) };
}

/// A descriptor that becomes readable when one of `signals`, which must be blocked, arrives.
pub fn watch(signals: &[i32]) -> io::Result<OwnedFd> {
    let set = set_of(signals);
    // SAFETY: `set` is valid.
    let fd = check_int(unsafe { libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A session and process group of its own.
pub fn new_session() -> io::Result<()> {
    // SAFETY: no arguments.
    check(i64::from(unsafe { libc::setsid() })).map(drop)
}
