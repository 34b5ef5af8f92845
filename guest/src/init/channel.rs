// SPDX-License-Identifier: Apache-2.0
//! The connection with the node: frames in, frames out, never blocking.
//!
//! Small messages go through `outbox`. Output goes from its ring to the socket; when the socket takes only a part,
//! the rest is a `Partial`, finished before anything else.

use super::table::Table;
use crate::sys::{is_errno, sockets};
use crate::wire::frame::{self, FrameReader};
use crate::wire::guest::{FromGuest, News, Order, ToGuest};
use crate::wire::input::{Input, input};
use crate::wire::output;
use prost::Message;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};

/// No new small messages while this much waits.
const OUTBOX_BYTES: usize = 64 * 1024;
const SEND_BUFFER: i32 = 1024 * 1024;
/// Data in one Output: a quarter of what a stream may hold, so that acknowledging, sending and reading overlap.
const FRAME_DATA: usize = 256 * 1024;

pub struct Channel {
    socket: OwnedFd,
    pub reader: FrameReader,
    outbox: Vec<u8>,
    taken: usize,
    partial: Option<Partial>,
    pub readable: bool,
    /// The reader may hold a whole frame.
    pending: bool,
    pub writable: bool,
    /// Hello has come.
    pub greeted: bool,
}

pub enum Heard<'a> {
    Nothing,
    Order(Order),
    Input(Input<'a>),
}

/// An Output frame of which the socket has taken a part.
struct Partial {
    slot: usize,
    stream: usize,
    head: Vec<u8>,
    offset: u64,
    length: usize,
    done: usize,
}

fn broken() -> io::Error {
    io::Error::from_raw_os_error(libc::EPROTO)
}

impl Channel {
    pub fn new(socket: OwnedFd) -> Channel {
        sockets::set_send_buffer(socket.as_fd(), SEND_BUFFER);
        Channel {
            socket,
            reader: FrameReader::new(),
            outbox: Vec::new(),
            taken: 0,
            partial: None,
            readable: true,
            pending: false,
            writable: true,
            greeted: false,
        }
    }

    /// Whether there may be an order, and room for what it may cause to be said.
    pub fn may_hear(&self) -> bool {
        (self.readable || self.pending) && self.waiting() < OUTBOX_BYTES
    }

    /// The next order, if this try brought one.
    pub fn next_order(&mut self) -> io::Result<Heard<'_>> {
        if !self.reader.has_frame().map_err(|_| broken())? {
            self.receive()?;
            return Ok(Heard::Nothing);
        }
        let Some(frame) = self.reader.next_frame().map_err(|_| broken())? else {
            return Ok(Heard::Nothing);
        };
        if let Some(input) = input(frame) {
            return Ok(Heard::Input(input));
        }
        // An order that we do not know is of a later version; Hello has told ours.
        let order = ToGuest::decode(frame).map_err(|_| broken())?.body;
        Ok(order.map_or(Heard::Nothing, Heard::Order))
    }

    /// One try to read more.
    fn receive(&mut self) -> io::Result<()> {
        self.pending = false;
        match self.fill() {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => self.pending = true,
            Err(error) if is_errno(&error, libc::EAGAIN) => self.readable = false,
            Err(error) if is_errno(&error, libc::EINTR) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn fill(&mut self) -> io::Result<usize> {
        struct Source<'a>(&'a OwnedFd);
        impl Read for Source<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                sockets::receive(self.0.as_fd(), into)
            }
        }
        self.reader.fill(&mut Source(&self.socket))
    }

    /// Whether more may be said now.
    pub fn has_room(&self) -> bool {
        self.writable && self.partial.is_none() && self.waiting() < OUTBOX_BYTES
    }

    fn waiting(&self) -> usize {
        self.outbox.len() - self.taken
    }

    pub fn say(&mut self, news: News) {
        frame::append(&mut self.outbox, &FromGuest::from(news));
    }

    /// Sends what may be sent of a stream, after all that waits. Call only with room.
    pub fn send_output(&mut self, table: &mut Table, slot: usize, stream: usize) -> io::Result<()> {
        let Some(exec) = table.get(slot) else { return Ok(()) };
        let out = &exec.out[stream];
        let length = out.sendable().min(FRAME_DATA);
        if length == 0 {
            return Ok(());
        }
        let head = output::head(exec.id, stream as i32, out.sent, length);
        self.partial = Some(Partial { slot, stream, head, offset: out.sent, length, done: 0 });
        self.flush(table)
    }

    /// Writes until everything is out or the socket is full. What the outbox holds comes before a partial only while
    /// nothing of that partial has been written.
    pub fn flush(&mut self, table: &mut Table) -> io::Result<()> {
        while self.writable && (self.waiting() > 0 || self.partial.is_some()) {
            let outbox = &self.outbox[self.taken..];
            let sent = match &self.partial {
                None => sockets::send_pieces(self.socket.as_fd(), &[outbox]),
                Some(partial) => {
                    let begun = partial.done > 0;
                    let outbox = if begun { &[] } else { outbox };
                    let head = &partial.head[partial.done.min(partial.head.len())..];
                    let past = partial.done.saturating_sub(partial.head.len());
                    let (a, b) = match table.get(partial.slot) {
                        Some(exec) => exec.out[partial.stream]
                            .pieces(partial.offset + past as u64, partial.length - past),
                        None => (&[][..], &[][..]),
                    };
                    sockets::send_pieces(self.socket.as_fd(), &[outbox, head, a, b])
                }
            };
            match sent {
                Ok(sent) => self.account(table, sent),
                Err(error) if is_errno(&error, libc::EAGAIN) => self.writable = false,
                Err(error) if is_errno(&error, libc::EINTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn account(&mut self, table: &mut Table, mut sent: usize) {
        if self.partial.as_ref().is_none_or(|partial| partial.done == 0) {
            let of_outbox = sent.min(self.waiting());
            self.taken += of_outbox;
            sent -= of_outbox;
            if self.waiting() == 0 {
                self.taken = 0;
                self.outbox.clear();
                if self.outbox.capacity() > 4 * OUTBOX_BYTES {
                    self.outbox = Vec::new();
                }
            }
        }
        let Some(partial) = &mut self.partial else { return };
        partial.done += sent;
        if partial.done == partial.head.len() + partial.length {
            if let Some(exec) = table.get(partial.slot) {
                exec.out[partial.stream].sent = partial.offset + partial.length as u64;
            }
            self.partial = None;
        }
    }

    /// The exec of `slot` is about to let its bytes go: what the socket still has to get of them is copied.
    pub fn rescue(&mut self, table: &mut Table, slot: usize) {
        let Some(partial) = self.partial.take_if(|partial| partial.slot == slot) else { return };
        if partial.done == 0 {
            return;
        }
        let head = &partial.head[partial.done.min(partial.head.len())..];
        let past = partial.done.saturating_sub(partial.head.len());
        let mut rest = head.to_vec();
        if let Some(exec) = table.get(slot) {
            let offset = partial.offset + past as u64;
            let (a, b) = exec.out[partial.stream].pieces(offset, partial.length - past);
            rest.extend_from_slice(a);
            rest.extend_from_slice(b);
        }
        rest.extend_from_slice(&self.outbox[self.taken..]);
        self.outbox = rest;
        self.taken = 0;
    }
}
