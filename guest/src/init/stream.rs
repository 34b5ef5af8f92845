// SPDX-License-Identifier: Apache-2.0
//! One output stream of an exec: a pipe, and a ring of the bytes that were read and not yet acknowledged.
//!
//! Offsets are absolute, from the first byte the stream ever carried:
//!
//! ```text
//! 0 ...... acked ........ sent ........ read ....   limit: how far `sent` may go (given by the node)
//!          |<-- held in the ring: <= HOLD -->|       settled: where the program itself stopped writing
//! ```

use crate::sys::region::Region;
use crate::sys::{is_errno, pipe};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Most bytes held, and so the most that may be sent and unacknowledged.
pub const HOLD: usize = 1024 * 1024;
pub const WIDE_PIPE: i32 = 1024 * 1024;
/// A read this large means that the writer is waiting for room.
const BUSY_READ: usize = 64 * 1024;
/// More than a terminal's buffers in the kernel hold.
const TERMINAL_BUFFERS: u64 = 256 * 1024;

pub struct OutStream {
    pipe: Option<OwnedFd>,
    ring: Option<Region>,
    /// Ring position of offset `acked`.
    head: usize,
    pub acked: u64,
    pub sent: u64,
    pub read: u64,
    pub limit: u64,
    /// The pipe may have something for us.
    pub ready: bool,
    wide: bool,
    settled: Option<u64>,
    /// A terminal's master, not a pipe.
    terminal: bool,
    /// The program on the terminal has ended: what it wrote is what can be read now, and lies before this offset.
    draining: Option<u64>,
    /// A read has been tried since the program's last byte was read.
    looked: bool,
    discarding: bool,
}

impl OutStream {
    pub fn new(pipe: Option<OwnedFd>, limit: u64) -> OutStream {
        OutStream {
            pipe,
            ring: None,
            head: 0,
            acked: 0,
            sent: 0,
            read: 0,
            limit,
            ready: false,
            wide: false,
            settled: None,
            terminal: false,
            draining: None,
            looked: false,
            discarding: false,
        }
    }

    /// What a terminal shows, read from its master.
    pub fn of_terminal(master: OwnedFd, limit: u64) -> OutStream {
        OutStream { terminal: true, ..OutStream::new(Some(master), limit) }
    }

    /// What is read, while it is open.
    pub fn source(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// The terminal's master, while it is open.
    pub fn master(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().filter(|_| self.terminal).map(AsFd::as_fd)
    }

    pub fn ended(&self) -> bool {
        self.pipe.is_none()
    }

    fn held(&self) -> usize {
        (self.read - self.acked) as usize
    }

    /// Whether a read could make progress.
    pub fn can_read(&self) -> bool {
        self.ready && self.pipe.is_some() && (self.discarding || self.held() < HOLD)
    }

    /// Bytes that may be sent now.
    pub fn sendable(&self) -> usize {
        self.read.min(self.limit).saturating_sub(self.sent) as usize
    }

    /// Reads once. Regions come from and go back to `spare`.
    pub fn fill(&mut self, spare: &mut Option<Region>, null: BorrowedFd) {
        let Some(pipe) = &self.pipe else { return };
        self.looked |= self.settled.is_some_and(|settled| self.read >= settled);
        let result = if self.discarding {
            pipe::discard(pipe.as_fd(), null)
        } else {
            let held = (self.read - self.acked) as usize;
            if held == 0 {
                self.head = 0; // keeps small outputs in the same few pages
            }
            if self.ring.is_none() {
                self.ring = spare.take().or_else(|| Region::map(HOLD).ok());
            }
            let Some(ring) = &mut self.ring else { return };
            let start = (self.head + held) % HOLD;
            let end = if start < self.head { self.head } else { HOLD };
            pipe::read(pipe, &mut ring[start..end])
        };
        match result {
            Ok(0) => self.pipe = None,
            Ok(got) => {
                self.read += if self.discarding { 0 } else { got as u64 };
                if got >= BUSY_READ && !self.wide {
                    self.wide = true;
                    pipe::widen(pipe.as_fd(), WIDE_PIPE);
                }
            }
            Err(error) if is_errno(&error, libc::EAGAIN) => self.ready = false,
            Err(error) if is_errno(&error, libc::EINTR) => {}
            // Nobody has the terminal open, and its program still runs: closing our side now would be its hang-up.
            Err(_) if self.terminal && self.settled.is_none() && self.draining.is_none() => {
                self.ready = false
            }
            Err(_) => self.pipe = None,
        }
        if self.held() == 0 {
            self.release(spare);
        }
        if self.draining.is_some_and(|most| self.read >= most || !self.ready || self.ended()) {
            self.draining = None;
            self.settled = Some(self.read);
            self.looked = true;
        }
    }

    /// The ring's bytes from `offset` on, in at most two pieces. They must be held.
    pub fn pieces(&self, offset: u64, length: usize) -> (&[u8], &[u8]) {
        let Some(ring) = &self.ring else { return (&[], &[]) };
        let start = (self.head + (offset - self.acked) as usize) % HOLD;
        let first = length.min(HOLD - start);
        (&ring[start..start + first], &ring[..length - first])
    }

    /// Drops what the node has. False: it acknowledged what was never sent.
    pub fn acknowledge(&mut self, acked: u64, limit: u64, spare: &mut Option<Region>) -> bool {
        if acked > self.sent {
            return false;
        }
        if acked > self.acked {
            self.head = (self.head + (acked - self.acked) as usize) % HOLD;
            self.acked = acked;
        }
        self.limit = self.limit.max(limit);
        if self.held() == 0 {
            self.release(spare);
        }
        true
    }

    fn release(&mut self, spare: &mut Option<Region>) {
        if let Some(ring) = self.ring.take() {
            spare.get_or_insert(ring);
        }
    }

    /// A new connection: all that is not acknowledged goes again.
    pub fn rewind(&mut self) {
        self.sent = self.acked;
    }

    /// The program has ended: what it wrote is what was read and what waits in the pipe now.
    pub fn settle(&mut self) {
        if self.terminal && self.pipe.is_some() {
            // Some of it is on its way between buffers of the kernel, uncounted; a read that finds nothing has waited.
            self.draining = Some(self.read + TERMINAL_BUFFERS);
            self.ready = true;
            return;
        }
        let waiting = self.pipe.as_ref().map_or(0, |pipe| pipe::waiting(pipe.as_fd()));
        self.settled = Some(self.read + waiting);
        self.ready = true; // look once more, to learn of the end
    }

    /// Bytes that the program itself wrote, known once it has ended.
    pub fn settled(&self) -> u64 {
        self.settled.unwrap_or(self.read)
    }

    /// Whether all that the program itself wrote has been sent, and no end-of-file is overlooked.
    pub fn delivered(&self) -> bool {
        let sent = self.settled.is_some_and(|settled| self.sent >= settled);
        sent && (self.ended() || self.looked || !self.can_read())
    }

    /// Whether nothing more will ever be sent.
    pub fn exhausted(&self) -> bool {
        self.ended() && self.sent == self.read
    }

    /// The node wants no more of it: later writers find an open pipe that never fills.
    pub fn discard(&mut self, spare: &mut Option<Region>) {
        self.acked = self.read;
        self.sent = self.read;
        self.release(spare);
        self.discarding = true;
        self.ready = true;
        if self.terminal {
            self.pipe = None; // hangs up on whoever still has it
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;

    fn null() -> File {
        File::options().write(true).open("/dev/null").unwrap()
    }

    #[test]
    fn bytes_survive_wrapping_acknowledging_and_rewinding() {
        let ends = pipe::pipe().unwrap();
        pipe::set_nonblocking(ends.reader.as_fd()).unwrap();
        let (mut writer, null, mut spare) = (File::from(ends.writer), null(), None);
        let mut stream = OutStream::new(Some(ends.reader), u64::MAX);
        let (mut written, mut seen) = (0_u64, 0_u64);
        for round in 0..400_u64 {
            let chunk: Vec<u8> = (written..written + 5_003).map(|n| (n % 251) as u8).collect();
            writer.write_all(&chunk).unwrap();
            written += chunk.len() as u64;
            stream.ready = true;
            while stream.can_read() {
                stream.fill(&mut spare, null.as_fd());
            }
            if round % 7 == 0 {
                stream.rewind();
                seen = stream.sent;
            }
            let (a, b) = stream.pieces(stream.sent, stream.sendable());
            for byte in a.iter().chain(b) {
                assert_eq!(u64::from(*byte), seen % 251, "offset {seen}");
                seen += 1;
            }
            stream.sent = seen;
            assert!(stream.acknowledge(seen - seen % 3, 0, &mut spare));
        }
        assert_eq!(seen, written);
        assert!(!stream.acknowledge(seen + 1, 0, &mut spare), "acknowledged what was never sent");
    }

    #[test]
    fn a_stream_that_nobody_acknowledges_stops_reading() {
        let ends = pipe::pipe().unwrap();
        pipe::set_nonblocking(ends.reader.as_fd()).unwrap();
        pipe::set_nonblocking(ends.writer.as_fd()).unwrap();
        let (mut writer, null, mut spare) = (File::from(ends.writer), null(), None);
        let mut stream = OutStream::new(Some(ends.reader), u64::MAX);
        for _ in 0..100 {
            let _ = writer.write(&[1; 60_000]);
            stream.ready = true;
            while stream.can_read() {
                stream.fill(&mut spare, null.as_fd());
            }
        }
        assert_eq!(stream.read, HOLD as u64);
    }
}
