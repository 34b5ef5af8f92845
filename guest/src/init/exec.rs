// SPDX-License-Identifier: Apache-2.0
//! One exec, from Start to the last of its traces.
//!
//! ```text
//! Starting ──execve──▶ Running ──wait()──▶ Ended ──Forget, pipes closed, groups removed──▶ slot free
//!     └──────refused, or died before execve──────▲
//! ```

use super::groups::Group;
use super::refusal::Refusal;
use super::session::Part;
use super::stdin::Stdin;
use super::stream::OutStream;
use crate::wire::guest::{Ended, ExecStatus, Failure, Kind};
use std::os::fd::OwnedFd;

pub enum Phase {
    /// The pipe closes when execve succeeds, or tells why not.
    Starting {
        status: OwnedFd,
    },
    Running,
    Ended(Box<Ended>),
}

/// Why we kill it, if we do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Itself,
    Timeout,
    Oom,
    Reclaim,
}

pub struct Exec {
    pub id: u64,
    pub pid: i32,
    pub phase: Phase,
    pub out: [OutStream; 2],
    pub stdin: Option<Stdin>,
    pub part: Part,
    /// None once removed.
    pub group: Option<Group>,
    /// When its process was about to be made, in nanoseconds: durations count from here.
    pub forked: u64,
    /// When the program was started (before that: forked), in nanoseconds: timeouts count from here.
    pub began: u64,
    /// In nanoseconds; 0: none.
    pub timeout: u64,
    pub cause: Cause,
    pub refusal: Option<Refusal>,
    pub runs: bool,
    /// Or needs not be sent.
    pub started_sent: bool,
    pub ended_sent: bool,
    /// A Late follows Ended: a stream was still open then.
    pub late: bool,
    pub late_sent: bool,
    pub forgotten: bool,
    pub queued: bool,
    /// It waits for room in the socket.
    pub blocked: bool,
}

impl Exec {
    /// An exec that never ran: only its ending is kept.
    pub fn refused(id: u64, refusal: &Refusal) -> Exec {
        let ended = refused_ending(id, refusal);
        let mut out = [OutStream::new(None, 0), OutStream::new(None, 0)];
        out.iter_mut().for_each(OutStream::settle);
        Exec {
            id,
            pid: 0,
            phase: Phase::Ended(Box::new(ended)),
            out,
            stdin: None,
            part: Part::None,
            group: None,
            forked: 0,
            began: 0,
            timeout: 0,
            cause: Cause::Itself,
            refusal: None,
            runs: false,
            started_sent: false,
            ended_sent: false,
            late: false,
            late_sent: false,
            forgotten: false,
            queued: false,
            blocked: false,
        }
    }

    pub fn ended(&self) -> Option<&Ended> {
        match &self.phase {
            Phase::Ended(ended) => Some(ended),
            _ => None,
        }
    }

    pub fn status(&self) -> ExecStatus {
        ExecStatus {
            exec: self.id,
            started: self.runs || self.ended_sent,
            ended: self.ended().is_some(),
            stdout_acked: self.out[0].acked,
            stderr_acked: self.out[1].acked,
            stdin_received: self.stdin.as_ref().map_or(0, |stdin| stdin.received),
        }
    }

    /// A new connection: what is not acknowledged goes again, and so does the ending.
    pub fn rewind(&mut self) {
        self.out.iter_mut().for_each(OutStream::rewind);
        if let Some(stdin) = &mut self.stdin {
            stdin.rewind();
        }
        self.ended_sent = false;
        self.late_sent = false;
        self.blocked = false;
    }

    /// Nothing of it is left.
    pub fn gone(&self) -> bool {
        self.forgotten && self.group.is_none() && self.out.iter().all(OutStream::ended)
    }
}

pub fn refused_ending(id: u64, refusal: &Refusal) -> Ended {
    Ended {
        exec: id,
        kind: Kind::NotStarted as i32,
        failure: if refusal.failure == Failure::None { Failure::NoResources } else { refusal.failure } as i32,
        errno: refusal.errno as u32,
        message: refusal.message.clone(),
        ..Ended::default()
    }
}
