// SPDX-License-Identifier: Apache-2.0
//! epoll, edge-triggered: a source is reported once per change and must then be used until it would block.

use super::{check_int, is_errno};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

pub const READ: u32 = (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLET) as u32;
pub const WRITE: u32 = (libc::EPOLLOUT | libc::EPOLLET) as u32;
pub const PRIORITY: u32 = (libc::EPOLLPRI | libc::EPOLLET) as u32;
/// What says that reading will not block: data, end, or an error to be collected.
pub const READABLE: u32 = (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32;
pub const WRITABLE: u32 = (libc::EPOLLOUT | libc::EPOLLHUP | libc::EPOLLERR) as u32;

pub const BATCH: usize = 64;

pub struct Poller(OwnedFd);

impl Poller {
    pub fn new() -> io::Result<Poller> {
        // SAFETY: plain number.
        let fd = check_int(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        // SAFETY: the kernel has just made this descriptor for us.
        Ok(Poller(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Watches `source` until it is closed.
    pub fn watch(&self, source: BorrowedFd, token: u64, interest: u32) -> io::Result<()> {
        let mut event = libc::epoll_event { events: interest, u64: token };
        // SAFETY: `event` is valid for the call.
        let ret = unsafe {
            libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_ADD, source.as_raw_fd(), &mut event)
        };
        check_int(ret).map(drop)
    }

    /// Waits at most `timeout_ms` (-1: for ever) and calls `each` with token and events.
    pub fn wait(&self, timeout_ms: i32, mut each: impl FnMut(u64, u32)) -> io::Result<()> {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; BATCH];
        // SAFETY: `events` has room for BATCH entries.
        let count =
            unsafe { libc::epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), BATCH as i32, timeout_ms) };
        match check_int(count) {
            Ok(count) => {
                for event in &events[..count as usize] {
                    each(event.u64, event.events);
                }
                Ok(())
            }
            Err(error) if is_errno(&error, libc::EINTR) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Waits until `source` is readable or hung up; false when `timeout_ms` passed first.
pub fn wait_readable(source: BorrowedFd, timeout_ms: i32) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd: source.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: one valid entry.
        match check_int(unsafe { libc::poll(&mut poll, 1, timeout_ms) }) {
            Ok(count) => return Ok(count > 0),
            Err(error) if is_errno(&error, libc::EINTR) => {}
            Err(error) => return Err(error),
        }
    }
}
