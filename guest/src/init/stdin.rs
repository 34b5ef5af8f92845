// SPDX-License-Identifier: Apache-2.0
//! The stdin of an exec: bytes from the node on their way into a pipe, or into a terminal as if typed.

use super::stream::WIDE_PIPE;
use crate::sys::{dir, is_errno, pipe, pty};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// How far the node may be ahead of the program.
pub const AHEAD: u64 = 256 * 1024;
/// The window is told again once it has grown by this.
const WINDOW_STEP: u64 = AHEAD / 4;
/// So much at once, and the pipe is made wider.
const MUCH: usize = 64 * 1024;

pub struct Stdin {
    pipe: Option<OwnedFd>,
    waiting: Vec<u8>,
    /// How much of `waiting` is in the pipe already.
    taken: usize,
    /// The next offset that we expect.
    pub received: u64,
    told_limit: u64,
    told_closed: bool,
    close: bool,
    /// A terminal's master; the last byte typed.
    typed: Option<u8>,
    /// The pipe may have room.
    pub ready: bool,
    wide: bool,
}

impl Stdin {
    /// Without a pipe everything sent is dropped.
    pub fn new(pipe: Option<OwnedFd>) -> Stdin {
        Stdin {
            told_closed: pipe.is_none(),
            pipe,
            waiting: Vec::new(),
            taken: 0,
            received: 0,
            told_limit: 0,
            close: false,
            typed: None,
            ready: true,
            wide: false,
        }
    }

    /// Into the master of a terminal.
    pub fn typing(master: OwnedFd) -> Stdin {
        Stdin { typed: Some(b'\n'), ..Stdin::new(Some(master)) }
    }

    /// What is written to, while it is open.
    pub fn sink(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Whether it is a terminal that takes no more for now.
    pub fn terminal_full(&self) -> bool {
        self.typed.is_some() && self.pipe.is_some() && !self.ready
    }

    /// False: the node broke the rules (a gap, or more than the window).
    pub fn receive(&mut self, offset: u64, data: &[u8], close: bool) -> bool {
        if self.pipe.is_none() {
            return true;
        }
        let Some(known) = self.received.checked_sub(offset) else { return false };
        let fresh = data.get(known.min(data.len() as u64) as usize..).unwrap_or_default();
        if self.received + fresh.len() as u64 > self.limit() {
            return false;
        }
        self.received += fresh.len() as u64;
        if !self.close {
            let rest = self.offer(fresh);
            self.waiting.extend_from_slice(rest);
            self.close = close;
            self.end_typing();
        }
        true
    }

    /// Writes at once what the pipe takes and returns the rest, unless others go first.
    fn offer<'a>(&mut self, mut data: &'a [u8]) -> &'a [u8] {
        if !self.waiting.is_empty() || self.typed.is_some() {
            return data;
        }
        while let (Some(pipe), true, false) = (&self.pipe, self.ready, data.is_empty()) {
            if data.len() >= MUCH && !self.wide {
                self.wide = true;
                pipe::widen(pipe.as_fd(), WIDE_PIPE);
            }
            match dir::write_once(pipe, data) {
                Ok(written) => data = &data[written..],
                Err(error) if is_errno(&error, libc::EAGAIN) => self.ready = false,
                Err(_) => self.shut(), // EPIPE: the program closed it
            }
        }
        if self.pipe.is_some() { data } else { &[] }
    }

    /// End-of-file on a terminal is typed; behind a part of a line it takes two.
    fn end_typing(&mut self) {
        let Some(typed) = &mut self.typed else { return };
        *typed = self.waiting.last().copied().unwrap_or(*typed);
        if let (true, Some(master)) = (self.close, &self.pipe) {
            let end = pty::end_of_file(master.as_fd());
            let times = if *typed == b'\n' { 1 } else { 2 };
            self.waiting.extend(std::iter::repeat_n(end, times));
        }
    }

    pub fn pump(&mut self) {
        while let Some(pipe) = &self.pipe {
            let rest = &self.waiting[self.taken..];
            if rest.is_empty() {
                self.waiting = Vec::new();
                self.taken = 0;
                if self.close {
                    self.pipe = None;
                    self.told_closed = true; // the node closed it: no news
                }
                return;
            }
            if !self.ready {
                return;
            }
            match dir::write_once(pipe, rest) {
                Ok(written) => self.taken += written,
                Err(error) if is_errno(&error, libc::EAGAIN) => self.ready = false,
                Err(_) => self.shut(), // EPIPE: the program closed it
            }
        }
    }

    /// No more of it: the program ended or closed it.
    pub fn shut(&mut self) {
        self.pipe = None;
        self.waiting = Vec::new();
        self.taken = 0;
    }

    pub fn limit(&self) -> u64 {
        self.received - (self.waiting.len() - self.taken) as u64 + AHEAD
    }

    /// The window to be told now: (limit, closed).
    pub fn news(&mut self) -> Option<(u64, bool)> {
        let closed = self.pipe.is_none();
        let limit = self.limit();
        let grown = !closed && limit >= self.told_limit + WINDOW_STEP;
        if !grown && closed == self.told_closed {
            return None;
        }
        self.told_limit = limit;
        self.told_closed = closed;
        Some((limit, closed))
    }

    /// A new connection has been told nothing.
    pub fn rewind(&mut self) {
        self.told_limit = 0;
        self.told_closed &= self.close;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_ignored_and_gaps_refused() {
        let ends = pipe::pipe().unwrap();
        let mut stdin = Stdin::new(Some(ends.writer));
        assert_eq!(stdin.news(), Some((AHEAD, false)));
        assert!(stdin.receive(0, b"abc", false));
        assert!(stdin.receive(0, b"abcde", false));
        assert!(stdin.receive(1, b"bc", false));
        assert!(!stdin.receive(6, b"g", false), "a gap");
        assert!(stdin.receive(5, b"f", true));
        stdin.pump();
        let mut got = [0; 16];
        assert_eq!(pipe::read(&ends.reader, &mut got).unwrap(), 6);
        assert_eq!(&got[..6], b"abcdef");
        assert_eq!(pipe::read(&ends.reader, &mut got).unwrap(), 0);
        assert_eq!(stdin.news(), None, "the node closed it itself");
    }

    #[test]
    fn the_window_bounds_what_is_held() {
        let ends = pipe::pipe().unwrap();
        pipe::set_nonblocking(ends.writer.as_fd()).unwrap();
        let mut stdin = Stdin::new(Some(ends.writer));
        let piece = vec![1; AHEAD as usize / 4];
        let mut sent = 0;
        while stdin.receive(sent, &piece, false) {
            sent += piece.len() as u64;
            assert!(stdin.waiting.len() as u64 <= AHEAD && sent <= AHEAD + WIDE_PIPE as u64);
        }
        assert!(sent >= AHEAD);
        let full = stdin.limit();
        assert!(pipe::read(&ends.reader, &mut vec![0; 100_000]).unwrap() > 0);
        stdin.ready = true;
        stdin.pump();
        assert!(stdin.limit() > full);
    }
}
