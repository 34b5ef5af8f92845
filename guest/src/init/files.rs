// SPDX-License-Identifier: Apache-2.0
//! File writes: each is done by a forked child, as the user and inside the sandbox's limits. PID 1 only hands
//! the bytes on and tells the outcome, so it never waits for a disk.

use super::Init;
use super::groups::{Group, Groups};
use super::refusal::{MAX_RECORD, Refusal};
use super::timers::Timer;
use super::turn::{Source, token};
use super::write;
use crate::sys::fork::Forked;
use crate::sys::{dir, errno, event, is_errno, pipe, time};
use crate::wire::guest::{FileBegin, FileChunk, FileDone, News};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

const MAX_OPERATIONS: usize = 64;
/// Orders are not read while this much waits for the children.
const MAX_WAITING: usize = 1024 * 1024;
const STALL: u64 = 60 * time::SECOND;
const PIPE_BYTES: i32 = 256 * 1024;

#[derive(Default)]
pub struct Files {
    operations: BTreeMap<u64, Operation>,
    /// Children that have said their word, with their groups, until they are reaped and the groups removed.
    leaving: Vec<(i32, Group)>,
    serial: u64,
    waiting: usize,
}

struct Operation {
    op: u64,
    pid: i32,
    pipe: OwnedFd,
    status: OwnedFd,
    waiting: Vec<u8>,
    taken: usize,
    committed: bool,
    group: Group,
    moved: u64,
}

impl Files {
    pub fn have_room(&self) -> bool {
        self.waiting < MAX_WAITING
    }

    pub fn reaped(&mut self, pid: i32, _status: i32) -> bool {
        self.leaving.iter().any(|(leaving, _)| *leaving == pid)
            || self.operations.values().any(|operation| operation.pid == pid)
    }

    pub fn sweep(&mut self, groups: &Groups) {
        self.leaving.retain(|(_, group)| !groups.remove(group));
    }

    fn remove(&mut self, serial: u64) -> Option<Operation> {
        let operation = self.operations.remove(&serial)?;
        self.waiting -= operation.waiting.len() - operation.taken;
        Some(operation)
    }
}

impl Init {
    pub(super) fn begin_file(&mut self, order: &FileBegin) {
        if self.files.operations.len() >= MAX_OPERATIONS {
            return self.tell_done(order.op, libc::EMFILE, "too many file operations at once");
        }
        self.files.serial += 1;
        let serial = self.files.serial;
        match self.spawn_writer(order, serial) {
            Ok(operation) => {
                self.files.operations.insert(serial, operation);
                self.timers.set(self.now + STALL, Timer::Stall(serial));
            }
            Err(error) => self.tell_done(order.op, errno(&error), &format!("start a writer: {error}")),
        }
    }

    fn spawn_writer(&mut self, order: &FileBegin, serial: u64) -> io::Result<Operation> {
        let (data, status) = (pipe::pipe()?, pipe::pipe()?);
        pipe::widen(data.writer.as_fd(), PIPE_BYTES);
        for (fd, source, interest) in [
            (data.writer.as_fd(), Source::FilePipe, event::WRITE),
            (status.reader.as_fd(), Source::FileStatus, event::READ),
        ] {
            pipe::set_nonblocking(fd)?;
            self.poller.watch(fd, token(source, serial as usize), interest)?;
        }
        let group = self.post.groups.make(&format!("f-{serial}"))?;
        // SAFETY: init has one thread; the child goes into `write::run`, which never returns.
        let pid = match unsafe { group.fork() } {
            Ok((Forked::Child, cloned_into)) => {
                write::run(&self.post, order, &group, cloned_into, data.reader, status.writer)
            }
            Ok((Forked::Parent { pid, .. }, _)) => pid,
            Err(error) => {
                self.post.groups.remove(&group);
                return Err(error);
            }
        };
        Ok(Operation {
            op: order.op,
            pid,
            pipe: data.writer,
            status: status.reader,
            waiting: Vec::new(),
            taken: 0,
            committed: false,
            group,
            moved: self.now,
        })
    }

    /// False: data after the last chunk.
    pub(super) fn take_chunk(&mut self, chunk: &FileChunk) -> bool {
        let Some((&serial, operation)) =
            self.files.operations.iter_mut().find(|(_, operation)| operation.op == chunk.op)
        else {
            return true; // it has failed already, and FileDone is on its way
        };
        if operation.committed {
            return false;
        }
        let before = operation.waiting.len();
        write::append(&mut operation.waiting, &chunk.data, chunk.last);
        operation.committed = chunk.last;
        operation.moved = self.now;
        self.files.waiting += operation.waiting.len() - before;
        self.feed_file(serial);
        true
    }

    pub(super) fn feed_file(&mut self, serial: u64) {
        let Some(operation) = self.files.operations.get_mut(&serial) else { return };
        while operation.taken < operation.waiting.len() {
            match dir::write_once(&operation.pipe, &operation.waiting[operation.taken..]) {
                Ok(written) => {
                    operation.taken += written;
                    operation.moved = self.now;
                    self.files.waiting -= written;
                }
                Err(error) if is_errno(&error, libc::EAGAIN) => return,
                Err(_) => break, // its status tells why it left
            }
        }
        self.files.waiting -= operation.waiting.len() - operation.taken;
        operation.waiting = Vec::new();
        operation.taken = 0;
    }

    pub(super) fn hear_file(&mut self, serial: u64) {
        let Some(operation) = self.files.operations.get(&serial) else { return };
        let mut record = [0_u8; MAX_RECORD];
        let said = match pipe::read(&operation.status, &mut record) {
            Err(error) if is_errno(&error, libc::EAGAIN) => return,
            Ok(length) => Refusal::read(&record[..length]),
            Err(_) => None,
        };
        let (errno, message) = match said {
            Some(outcome) => (outcome.errno, outcome.message),
            None => (libc::EIO, "the writer was killed".to_string()),
        };
        self.end_file(serial, errno, &message);
    }

    pub(super) fn give_up_file(&mut self, serial: u64) {
        let Some(operation) = self.files.operations.get(&serial) else { return };
        let idle = operation.waiting.is_empty() && !operation.committed; // it is the node that is slow
        let due = if idle { self.now + STALL } else { operation.moved + STALL };
        if due > self.now {
            self.timers.set(due, Timer::Stall(serial));
        } else {
            operation.group.kill();
            self.end_file(serial, libc::ETIMEDOUT, "the writer does not move");
        }
    }

    /// The connection is gone: writers see end-of-file without a last chunk and undo what they did.
    pub(super) fn abort_files(&mut self) {
        let serials: Vec<u64> = self.files.operations.keys().copied().collect();
        for serial in serials {
            self.let_go(serial);
        }
    }

    fn end_file(&mut self, serial: u64, errno: i32, message: &str) {
        if let Some(op) = self.let_go(serial) {
            self.tell_done(op, errno, message);
        }
    }

    fn let_go(&mut self, serial: u64) -> Option<u64> {
        let operation = self.files.remove(serial)?;
        self.timers.cancel(Timer::Stall(serial));
        self.timers.set_once(self.now + time::MILLISECOND, Timer::Sweep);
        self.files.leaving.push((operation.pid, operation.group));
        Some(operation.op)
    }

    fn tell_done(&mut self, op: u64, errno: i32, message: &str) {
        self.say(News::FileDone(FileDone { op, errno: errno as u32, message: message.to_string() }));
    }
}
