// SPDX-License-Identifier: Apache-2.0
//! What connects an exec with init: pipes, or a terminal.

use super::child::Ends;
use super::program;
use super::session::{Part, Run, Shell};
use super::stdin::Stdin;
use super::stream::OutStream;
use crate::sys::{dir, memory_file, pipe, pty, sockets};
use crate::wire::guest::{Size, Start};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Both sides. Ours does not block; the program's does.
pub struct Wires {
    pub inside: Ends,
    pub out: [OutStream; 2],
    pub stdin: Option<Stdin>,
    pub part: Part,
    /// Closes when execve succeeds, or tells why not.
    pub status: OwnedFd,
}

impl Wires {
    /// Where the shell of a session reports on a run.
    pub fn report(&self) -> Option<BorrowedFd<'_>> {
        match &self.part {
            Part::Run(run) => Some(run.report()),
            _ => None,
        }
    }
}

pub fn make(start: &Start) -> io::Result<Wires> {
    match &start.terminal {
        Some(size) => terminal(start, size),
        None if start.session_shell => session_shell(start),
        None if start.session != 0 => run(start),
        None => pipes(start),
    }
}

fn pipes(start: &Start) -> io::Result<Wires> {
    let (stdout, stderr, status) = (pipe::pipe()?, pipe::pipe()?, pipe::pipe()?);
    let (stdin_inside, stdin_outside) = match start.stdin {
        true => pipe::pipe().map(|ends| (Some(ends.reader), Some(ends.writer)))?,
        false => (None, None),
    };
    Ok(Wires {
        inside: Ends {
            stdin: stdin_inside,
            stdout: stdout.writer,
            stderr: stderr.writer,
            status: status.writer,
            terminal: false,
            further: Vec::new(),
        },
        out: [
            OutStream::new(Some(stdout.reader), start.stdout_window),
            OutStream::new(Some(stderr.reader), start.stderr_window),
        ],
        stdin: stdin_outside.map(|pipe| Stdin::new(Some(pipe))),
        part: Part::None,
        status: status.reader,
    })
}

fn terminal(start: &Start, size: &Size) -> io::Result<Wires> {
    let (columns, rows) =
        program::dimensions(size).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
    let (pair, status) = (pty::open(columns, rows)?, pipe::pipe()?);
    Ok(Wires {
        inside: Ends {
            stdin: Some(pair.slave.try_clone()?),
            stdout: pair.slave.try_clone()?,
            stderr: pair.slave,
            status: status.writer,
            terminal: true,
            further: Vec::new(),
        },
        stdin: Some(Stdin::typing(pair.master.try_clone()?)),
        part: Part::None,
        out: [OutStream::of_terminal(pair.master, start.stdout_window), OutStream::new(None, 0)],
        status: status.reader,
    })
}

/// bash reads its lines byte by byte; other shells read ahead, so to them each line is a message of its own: a shell
/// that drops what it has read, as at an interrupt, never drops a line that it has not run.
fn session_shell(start: &Start) -> io::Result<Wires> {
    let bash = program::session_is_bash(start);
    let (inside, control) = match bash {
        true => pipe::pipe().map(|ends| (ends.reader, ends.writer))?,
        false => sockets::pair()?,
    };
    let mut wires = pipes(&Start { stdin: false, ..start.clone() })?;
    pipe::set_nonblocking(control.as_fd())?;
    wires.inside.stdin = Some(inside);
    wires.part = Part::Shell(Shell::new(control, start, bash));
    Ok(wires)
}

/// See `session`. Numbers above those that the holder will have, so that none gets in the way of another.
fn run(start: &Start) -> io::Result<Wires> {
    let (report, hold) = (pipe::pipe()?, pipe::pipe()?);
    let mut wires = pipes(&Start { stdin: false, ..start.clone() })?;
    wires.inside.stdin = Some(hold.reader);
    wires.inside.status = dir::raise(&wires.inside.status)?;
    let text = memory_file::holding(&start.argv[0])?;
    wires.inside.further = vec![dir::raise(&text)?, dir::raise(&report.writer)?];
    wires.part = Part::Run(Run::new(report.reader, hold.writer, start));
    Ok(wires)
}
