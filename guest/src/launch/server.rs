// SPDX-License-Identifier: Apache-2.0
//! Connections of the launch socket. Requests are short and served one after the other.
//!
//! The node holds our stdin: at its end we leave. Sandboxes stay.

use super::{Launcher, create};
use crate::error::{Step, StepError};
use crate::sys::{check_int, is_errno, pipe, sockets};
use crate::wire::frame::{self, FrameReader};
use crate::wire::launch::{LaunchReply, LaunchRequest};
use prost::Message;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

const MAX_CONNECTIONS: usize = 64;
const REPLY_TIMEOUT_MS: i32 = 5_000;

struct Connection {
    socket: File,
    reader: FrameReader,
}

pub fn run(launcher: &Launcher, path: &Path) -> Result<(), StepError> {
    let shown = path.display().to_string();
    let absolute = std::path::absolute(path).step("listen", &shown)?;
    let listener = sockets::listen(&absolute).step("listen", &shown)?;
    println!("ready");
    let _ = io::stdout().flush();
    let mut connections: Vec<Connection> = Vec::new();
    loop {
        let ready = wait(&listener, &connections).step("wait", &shown)?;
        if ready[0] && stdin_ended() {
            return Ok(()); // the socket stays: a successor may have taken its place already
        }
        let mut index = 0;
        connections.retain_mut(|connection| {
            index += 1;
            !ready[index + 1] || serve(launcher, connection)
        });
        if ready[1] {
            accept(&listener, &mut connections);
        }
    }
}

/// Which of stdin, the listener and the connections want attention.
fn wait(listener: &OwnedFd, connections: &[Connection]) -> io::Result<Vec<bool>> {
    let others = connections.iter().map(|connection| connection.socket.as_raw_fd());
    let mut polls: Vec<libc::pollfd> = [0, listener.as_raw_fd()]
        .into_iter()
        .chain(others)
        .map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 })
        .collect();
    // SAFETY: `polls` is a valid array of its length.
    match check_int(unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as u64, -1) }) {
        Err(error) if !is_errno(&error, libc::EINTR) => Err(error),
        _ => Ok(polls.iter().map(|poll| poll.revents != 0).collect()),
    }
}

fn stdin_ended() -> bool {
    let mut ignored = [0_u8; 256];
    match pipe::read(io::stdin(), &mut ignored) {
        Ok(0) => true,
        Ok(_) => false,
        Err(error) => !matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock),
    }
}

fn accept(listener: &OwnedFd, connections: &mut Vec<Connection>) {
    let Ok(socket) = sockets::accept(listener.as_fd()) else { return };
    // SAFETY: no arguments.
    let own = unsafe { libc::geteuid() };
    match sockets::peer(socket.as_fd()) {
        Ok(peer) if peer.uid == own && connections.len() < MAX_CONNECTIONS => {
            connections.push(Connection { socket: File::from(socket), reader: FrameReader::new() });
        }
        Ok(peer) => eprintln!("dsec-guest launch: refused a connection of uid {}", peer.uid),
        Err(error) => eprintln!("dsec-guest launch: peer credentials: {error}"),
    }
}

/// False: close it.
fn serve(launcher: &Launcher, connection: &mut Connection) -> bool {
    match connection.reader.fill(&mut connection.socket) {
        Ok(0) => return false,
        Ok(_) => {}
        Err(error) => return matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
    }
    loop {
        let mut request = match connection.reader.next_frame() {
            Ok(None) => return true,
            Ok(Some(bytes)) => match LaunchRequest::decode(bytes) {
                Ok(request) => request,
                Err(error) => return refuse(&error),
            },
            Err(error) => return refuse(&error),
        };
        connection.reader.wipe_consumed();
        let reply = create::create(launcher, &request);
        request.wipe();
        if !reply.ok {
            eprintln!("dsec-guest launch: create failed: {}", reply.message);
        }
        if let Err(error) = answer(&mut connection.socket, &reply) {
            return refuse(&error);
        }
    }
}

fn refuse(error: &dyn std::error::Error) -> bool {
    eprintln!("dsec-guest launch: connection closed: {error}");
    false
}

fn answer(socket: &mut File, reply: &LaunchReply) -> io::Result<()> {
    let mut bytes = Vec::new();
    frame::append(&mut bytes, reply);
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        match socket.write(rest) {
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => await_room(socket)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn await_room(socket: &File) -> io::Result<()> {
    let mut poll = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: one valid entry.
    match check_int(unsafe { libc::poll(&mut poll, 1, REPLY_TIMEOUT_MS) })? {
        0 => Err(io::Error::from_raw_os_error(libc::ETIMEDOUT)),
        _ => Ok(()),
    }
}
