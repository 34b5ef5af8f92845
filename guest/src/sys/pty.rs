// SPDX-License-Identifier: Apache-2.0
//! Pseudo-terminals: the master stays outside, the slave becomes the terminal of a session.

use super::{check, check_int, dir};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

pub struct Pty {
    pub master: OwnedFd,
    pub slave: OwnedFd,
}

/// A fresh pair of the sandbox's own devpts, for UTF-8 text.
pub fn open(columns: u16, rows: u16) -> io::Result<Pty> {
    let flags = libc::O_RDWR | libc::O_NOCTTY;
    let master = dir::open(dir::HERE, "/dev/pts/ptmx", flags | libc::O_NONBLOCK, 0)?;
    let unlocked: i32 = 0;
    // SAFETY: TIOCSPTLCK reads one int.
    check_int(unsafe { libc::ioctl(master.as_raw_fd(), libc::TIOCSPTLCK, &unlocked) })?;
    // SAFETY: TIOCGPTPEER takes open flags and gives a new descriptor, whatever lies at the slave's path.
    let slave =
        check_int(unsafe { libc::ioctl(master.as_raw_fd(), libc::TIOCGPTPEER, flags | libc::O_CLOEXEC) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    let slave = unsafe { OwnedFd::from_raw_fd(slave) };
    let mut modes = modes(slave.as_fd())?;
    modes.c_iflag |= libc::IUTF8;
    // SAFETY: `modes` is valid for the call.
    check_int(unsafe { libc::tcsetattr(slave.as_raw_fd(), libc::TCSANOW, &modes) })?;
    resize(master.as_fd(), columns, rows)?;
    Ok(Pty { master, slave })
}

/// The calling process, which leads a session without a terminal, gets this one.
pub fn control(slave: BorrowedFd) -> io::Result<()> {
    // SAFETY: plain numbers.
    check_int(unsafe { libc::ioctl(slave.as_raw_fd(), libc::TIOCSCTTY, 0) }).map(drop)
}

/// Tells the size; the foreground group gets SIGWINCH when it is another one.
pub fn resize(master: BorrowedFd, columns: u16, rows: u16) -> io::Result<()> {
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCSWINSZ reads one winsize.
    check_int(unsafe { libc::ioctl(master.as_raw_fd(), libc::TIOCSWINSZ, &size) }).map(drop)
}

/// The process group in the foreground, as this process sees it; None when there is none, or one of no user program.
pub fn foreground(master: BorrowedFd) -> Option<i32> {
    let mut group: i32 = 0;
    // SAFETY: TIOCGPGRP stores one int.
    let asked = check_int(unsafe { libc::ioctl(master.as_raw_fd(), libc::TIOCGPGRP, &mut group) });
    asked.ok().map(|_| group).filter(|&group| group > 1)
}

/// What typed end-of-file is on this terminal: its byte while lines are edited, else (as a line editor of its own
/// understands it) Ctrl-D.
pub fn end_of_file(master: BorrowedFd) -> u8 {
    const CTRL_D: u8 = 4;
    match modes(master) {
        Ok(modes) if modes.c_lflag & libc::ICANON != 0 => modes.c_cc[libc::VEOF],
        _ => CTRL_D,
    }
}

fn modes(terminal: BorrowedFd) -> io::Result<libc::termios> {
    let mut modes = std::mem::MaybeUninit::<libc::termios>::zeroed();
    // SAFETY: `modes` has the right size and outlives the call.
    check(i64::from(unsafe { libc::tcgetattr(terminal.as_raw_fd(), modes.as_mut_ptr()) }))?;
    // SAFETY: the call succeeded and filled it.
    Ok(unsafe { modes.assume_init() })
}
