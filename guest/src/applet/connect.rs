// SPDX-License-Identifier: Apache-2.0
//! A TCP connection to a server of the sandbox, carried over stdin and stdout.
//!
//! stdin is raw, its end a half-close. stdout is in pieces, because the end of what the server sends must be told while
//! the other direction goes on: a 4-byte big-endian length and so many bytes; length 0 is the end.

use super::{STDIN, STDOUT};
use crate::sys::{check, is_errno, poll};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

const TO_CONNECT: Duration = Duration::from_secs(10);
const PIECE: usize = 64 * 1024;
const HEADER: usize = 4;

/// IPv4 first; programs that serve `localhost` may have chosen IPv6 alone.
pub fn open(argv: &[Vec<u8>]) -> io::Result<TcpStream> {
    let port = argv.first().and_then(|text| std::str::from_utf8(text).ok()?.parse::<u16>().ok());
    let port = port.filter(|&port| port > 0).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
    let reach = |address: SocketAddr| TcpStream::connect_timeout(&address, TO_CONNECT);
    let stream = reach((Ipv4Addr::LOCALHOST, port).into()).or_else(|refused| {
        if is_errno(&refused, libc::ECONNREFUSED) {
            reach((Ipv6Addr::LOCALHOST, port).into()).map_err(|_| refused)
        } else {
            Err(refused)
        }
    })?;
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

/// Bytes on their way: `buffer[done..full]`.
struct Flow {
    buffer: Vec<u8>,
    done: usize,
    full: usize,
    over: bool,
}

impl Flow {
    fn new() -> Flow {
        Flow { buffer: vec![0; HEADER + PIECE], done: 0, full: 0, over: false }
    }

    fn empty(&self) -> bool {
        self.done == self.full
    }

    fn wants(&self) -> bool {
        self.empty() && !self.over
    }
}

/// Carries both directions until both have ended. An error means that the connection broke.
pub fn relay(socket: &TcpStream) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    for fd in [STDIN, STDOUT] {
        // SAFETY: sets flags of this process's own ends of its pipes.
        check(i64::from(unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) }))?;
    }
    let (mut up, mut down) = (Flow::new(), Flow::new());
    let (mut up_closed, mut down_closed) = (false, false);
    while !(up_closed && down_closed) {
        let wire = socket.as_raw_fd();
        poll(&[
            (STDIN, interest(up.wants(), libc::POLLIN)),
            (wire, interest(!up.empty(), libc::POLLOUT) | interest(down.wants(), libc::POLLIN)),
            (STDOUT, interest(!down.empty(), libc::POLLOUT)),
        ])?;
        if up.wants()
            && let Some(got) = tried(read(STDIN, &mut up.buffer[..PIECE]))?
        {
            (up.done, up.full, up.over) = (0, got, got == 0);
        }
        if !up.empty()
            && let Some(sent) = tried((&*socket).write(&up.buffer[up.done..up.full]))?
        {
            up.done += sent;
        }
        if up.over && up.empty() && !up_closed {
            up_closed = true;
            // Not connected any more is fine: the other direction tells.
            let _ = socket.shutdown(Shutdown::Write);
        }
        if down.wants()
            && let Some(got) = tried((&*socket).read(&mut down.buffer[HEADER..]))?
        {
            down.buffer[..HEADER].copy_from_slice(&(got as u32).to_be_bytes());
            (down.done, down.full, down.over) = (0, HEADER + got, got == 0);
        }
        if !down.empty()
            && let Some(sent) = tried(write(STDOUT, &down.buffer[down.done..down.full]))?
        {
            down.done += sent;
        }
        down_closed = down.over && down.empty();
    }
    Ok(())
}

fn interest(wanted: bool, what: i16) -> i16 {
    if wanted { what } else { 0 }
}

/// None: not now.
fn tried(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn read(fd: i32, into: &mut [u8]) -> io::Result<usize> {
    // SAFETY: `into` is valid for its length.
    check(unsafe { libc::read(fd, into.as_mut_ptr().cast(), into.len()) } as i64).map(|got| got as usize)
}

fn write(fd: i32, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: `bytes` is valid for its length.
    check(unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) } as i64).map(|put| put as usize)
}
