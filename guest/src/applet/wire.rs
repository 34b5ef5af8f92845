// SPDX-License-Identifier: Apache-2.0
//! What an applet hears on stdin and says on stdout: frames, and beside them content in pieces (see `files.proto`).

use super::{STDIN, STDOUT};
use crate::sys::{check, is_errno};
use crate::wire::files::{Answer, Ask, Reply, Request};
use crate::wire::frame::{self, FrameReader};
use prost::Message;
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd};

/// Length that announces a failure in place of the rest.
const NO_MORE: u32 = u32::MAX;
/// Most bytes of a piece that we make.
pub const PIECE: usize = 256 * 1024;

pub struct Wire {
    input: ManuallyDrop<File>,
    output: ManuallyDrop<File>,
    frames: FrameReader,
}

impl Wire {
    pub fn new() -> Wire {
        // SAFETY: an applet's stdin and stdout are open, and nobody closes them.
        let of = |fd| ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
        Wire { input: of(STDIN), output: of(STDOUT), frames: FrameReader::new() }
    }

    /// None: the node has nothing more to ask.
    pub fn next(&mut self) -> io::Result<Option<Ask>> {
        let broken = || io::Error::from_raw_os_error(libc::EPROTO);
        loop {
            if let Some(bytes) = self.frames.next_frame().map_err(|_| broken())? {
                let request = Request::decode(bytes).map_err(|_| broken())?;
                return Ok(Some(request.body.ok_or_else(broken)?));
            }
            self.frames.shrink();
            if self.frames.fill(&mut *self.input)? == 0 {
                return Ok(None);
            }
        }
    }

    pub fn say(&mut self, answer: Answer) -> io::Result<()> {
        let mut bytes = Vec::new();
        frame::append(&mut bytes, &Reply::from(answer));
        self.output.write_all(&bytes)
    }

    /// Length of the next piece; None at their end.
    fn piece(&mut self) -> io::Result<Option<usize>> {
        let mut length = [0_u8; 4];
        self.input.read_exact(&mut length)?;
        Ok(Some(u32::from_be_bytes(length) as usize).filter(|&length| length > 0))
    }

    /// All pieces into `file`. The first error is one of the wire, the second one of the file.
    pub fn receive(&mut self, file: &mut File) -> io::Result<io::Result<()>> {
        while let Some(mut left) = self.piece()? {
            while left > 0 {
                match move_bytes(self.input.as_raw_fd(), file.as_raw_fd(), left) {
                    Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(moved) => left -= moved,
                    Err(error) if is_errno(&error, libc::EINTR) => {}
                    Err(error) if is_errno(&error, libc::EINVAL) => {
                        let mut buffer = vec![0_u8; left.min(PIECE)];
                        let got = self.input.read(&mut buffer)?;
                        if got == 0 {
                            return Err(io::ErrorKind::UnexpectedEof.into());
                        }
                        if let Err(error) = file.write_all(&buffer[..got]) {
                            return Ok(Err(error));
                        }
                        left -= got;
                    }
                    Err(error) => return Ok(Err(error)),
                }
            }
        }
        Ok(Ok(()))
    }

    /// `count` bytes of `file` from its position on, in pieces. The first error is one of the wire, the second one of
    /// the file.
    pub fn send(&mut self, file: &File, count: u64) -> io::Result<io::Result<()>> {
        let mut left = count;
        while left > 0 {
            let piece = left.min(4 * PIECE as u64) as usize;
            // What a piece announces must come: a file that ends early is made up with zeros by nobody, so the
            // piece is announced only as far as the file still reaches.
            let rest = match rest_of(file) {
                Ok(0) => return Ok(Err(io::ErrorKind::UnexpectedEof.into())),
                Ok(rest) => rest,
                Err(error) => return Ok(Err(error)),
            };
            let piece = piece.min(rest.min(usize::MAX as u64) as usize);
            self.output.write_all(&(piece as u32).to_be_bytes())?;
            let mut going = piece;
            while going > 0 {
                match move_bytes(file.as_raw_fd(), self.output.as_raw_fd(), going) {
                    Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(moved) => going -= moved,
                    Err(error) if is_errno(&error, libc::EINTR) => {}
                    Err(error) => return Err(error),
                }
            }
            left -= piece as u64;
        }
        self.output.write_all(&0_u32.to_be_bytes()).map(Ok)
    }

    pub fn give_up(&mut self) -> io::Result<()> {
        self.output.write_all(&NO_MORE.to_be_bytes())
    }
}

fn rest_of(file: &File) -> io::Result<u64> {
    let mut file = file;
    let at = io::Seek::stream_position(&mut file)?;
    Ok(file.metadata()?.len().saturating_sub(at))
}

/// Between a pipe and a file, without passing through our memory.
fn move_bytes(from: i32, to: i32, most: usize) -> io::Result<usize> {
    // SAFETY: null offsets and plain numbers.
    let moved = unsafe { libc::splice(from, std::ptr::null_mut(), to, std::ptr::null_mut(), most, 0) };
    check(moved as i64).map(|moved| moved as usize)
}

/// Reads what comes in pieces.
pub struct Incoming<'a> {
    wire: &'a mut Wire,
    left: usize,
    over: bool,
    /// The wire broke off.
    pub cut: bool,
}

impl<'a> Incoming<'a> {
    pub fn new(wire: &'a mut Wire) -> Incoming<'a> {
        Incoming { wire, left: 0, over: false, cut: false }
    }
}

impl Read for Incoming<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !self.over {
            match self.wire.piece() {
                Ok(Some(length)) => self.left = length,
                Ok(None) => self.over = true,
                Err(error) => {
                    self.cut = true;
                    return Err(error);
                }
            }
        }
        if self.over || into.is_empty() {
            return Ok(0);
        }
        let most = into.len().min(self.left);
        let got = self.wire.input.read(&mut into[..most])?;
        self.cut |= got == 0;
        self.left -= got;
        Ok(got)
    }
}

/// Sends in pieces what is written.
pub struct Outgoing<'a> {
    wire: &'a mut Wire,
    held: Vec<u8>,
}

impl<'a> Outgoing<'a> {
    pub fn new(wire: &'a mut Wire) -> Outgoing<'a> {
        Outgoing { wire, held: Vec::with_capacity(PIECE) }
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.wire.output.write_all(&0_u32.to_be_bytes())
    }
}

impl Write for Outgoing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE - self.held.len());
        self.held.extend_from_slice(&bytes[..taken]);
        if self.held.len() == PIECE {
            self.flush()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.held.is_empty() {
            self.wire.output.write_all(&(self.held.len() as u32).to_be_bytes())?;
            self.wire.output.write_all(&self.held)?;
            self.held.clear();
        }
        Ok(())
    }
}
