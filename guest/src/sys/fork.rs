// SPDX-License-Identifier: Apache-2.0
//! clone3 as a fork, with namespaces and a cgroup.

use super::{check, check_int};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

#[repr(C)]
#[derive(Default)]
struct CloneArgs {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

pub enum Forked {
    Child,
    Parent { pid: i32, pidfd: OwnedFd },
}

/// Forks with `flags` (CLONE_NEW…) and, if given, into the cgroup v2 directory `group`.
///
/// # Safety
/// The process must have a single thread. The child must not return into code that owns what the parent
/// still uses; it ends by `exit` or by execve.
pub unsafe fn fork(flags: u64, group: Option<BorrowedFd>) -> io::Result<Forked> {
    let mut pidfd: RawFd = -1;
    let mut args = CloneArgs {
        flags: flags | libc::CLONE_PIDFD as u64,
        pidfd: &raw mut pidfd as u64,
        exit_signal: libc::SIGCHLD as u64,
        ..CloneArgs::default()
    };
    if let Some(group) = group {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = group.as_raw_fd() as u64;
    }
    // SAFETY: without CLONE_VM and with no stack given this is a fork; `args` and `pidfd` outlive the call.
    let pid = check(unsafe { libc::syscall(libc::SYS_clone3, &raw mut args, size_of::<CloneArgs>()) })?;
    if pid == 0 {
        return Ok(Forked::Child);
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(Forked::Parent { pid: pid as i32, pidfd: unsafe { OwnedFd::from_raw_fd(pidfd) } })
}

/// Leaves at once: no destructors, no exit handlers.
pub fn exit(code: i32) -> ! {
    // SAFETY: _exit has no preconditions.
    unsafe { libc::_exit(code) }
}

pub fn unshare(flags: i32) -> io::Result<()> {
    // SAFETY: plain numbers.
    check_int(unsafe { libc::unshare(flags) }).map(drop)
}

pub fn setns(namespace: BorrowedFd, kind: i32) -> io::Result<()> {
    // SAFETY: plain numbers and an open descriptor.
    check_int(unsafe { libc::setns(namespace.as_raw_fd(), kind) }).map(drop)
}

pub fn pidfd_open(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: plain numbers.
    let fd = check(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

pub fn pidfd_signal(pidfd: BorrowedFd, signal: i32) -> io::Result<()> {
    // SAFETY: plain numbers and a null siginfo.
    let ret = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_raw_fd(),
            signal,
            std::ptr::null::<libc::siginfo_t>(),
            0,
        )
    };
    check(ret).map(drop)
}

pub fn kill(pid: i32, signal: i32) -> io::Result<()> {
    // SAFETY: plain numbers.
    check_int(unsafe { libc::kill(pid, signal) }).map(drop)
}

/// Reaps one dead child: its pid and wait status.
pub fn reap() -> Option<(i32, i32)> {
    let mut status = 0;
    // SAFETY: `status` is a valid place for the answer.
    let pid = unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG | libc::__WALL) };
    (pid > 0).then_some((pid, status))
}
