// SPDX-License-Identifier: Apache-2.0
//! Begin and end of execs.

use super::Init;
use super::child;
use super::disk;
use super::exec::{Cause, Exec, Phase, refused_ending};
use super::groups::Group;
use super::program;
use super::refusal::{MAX_RECORD, Refusal};
use super::stdin::Stdin;
use super::stream::OutStream;
use super::table::{MAX_ENDED, MAX_RUNNING};
use super::timers::Timer;
use super::turn::{Source, token};
use super::wires::{self, Wires};
use crate::sys::fork::Forked;
use crate::sys::{errno, event, fork, is_errno, pipe, time};
use crate::wire::guest::{Ended, Failure, Kind, Start};
use std::io;
use std::os::fd::AsFd;

const SWEEP_DELAY: u64 = time::MILLISECOND;

impl Init {
    pub(super) fn start(&mut self, start: Start) {
        if self.table.slot_of(start.exec).is_some() {
            return; // told again after a reconnect
        }
        let exec = match self.admit(&start).and_then(|()| match start.session {
            0 => self.spawn(&start, None),
            _ => self.spawn_run(&start),
        }) {
            Ok(exec) => exec,
            Err(refusal) => Exec::refused(start.exec, &refusal),
        };
        let slot = self.table.insert(exec);
        self.enqueue(slot);
    }

    fn admit(&mut self, start: &Start) -> Result<(), Refusal> {
        let (running, ended) = self.table.counts();
        if running >= MAX_RUNNING || ended >= MAX_ENDED {
            let message = format!("{running} execs run and {ended} ended ones are not forgotten");
            return Err(Refusal::new(Failure::TooMany, libc::EAGAIN, message));
        }
        program::validate(start)
    }

    /// Into `home`, or the group that it gets.
    pub(super) fn spawn(&mut self, start: &Start, home: Option<&Group>) -> Result<Exec, Refusal> {
        let refuse = |what: &str, error: io::Error| {
            Refusal::new(Failure::NoResources, errno(&error), format!("{what}: {error}"))
        };
        let group = self
            .post
            .groups
            .make(&format!("e-{}", start.exec))
            .map_err(|error| refuse("make cgroup", error))?;
        match self.fork_into(start, home.unwrap_or(&group)) {
            Ok(exec) => Ok(Exec { group: Some(group), ..exec }),
            Err(error) => {
                self.post.groups.remove(&group);
                Err(refuse("start a process", error))
            }
        }
    }

    fn fork_into(&mut self, start: &Start, group: &Group) -> io::Result<Exec> {
        let wires = wires::make(start)?;
        self.watch(&wires)?;
        let forked = time::now();
        // SAFETY: init has one thread; the child goes into `child::run`, which never returns.
        let (pid, _pidfd) = match unsafe { group.fork() }? {
            (Forked::Child, cloned_into) => child::run(&self.post, start, group, cloned_into, wires.inside),
            (Forked::Parent { pid, pidfd }, _) => (pid, pidfd),
        };
        drop(wires.inside);
        let timeout = start.timeout_ms.saturating_mul(time::MILLISECOND);
        self.now = time::now();
        if timeout > 0 {
            self.timers.set(self.now.saturating_add(timeout), Timer::Timeout(start.exec));
        }
        Ok(Exec {
            id: start.exec,
            pid,
            phase: Phase::Starting { status: wires.status },
            out: wires.out,
            stdin: wires.stdin,
            part: wires.part,
            group: None,
            forked,
            began: self.now,
            timeout,
            cause: Cause::Itself,
            refusal: None,
            runs: false,
            started_sent: start.quiet,
            ended_sent: false,
            late: false,
            late_sent: false,
            forgotten: false,
            queued: false,
            blocked: false,
        })
    }

    /// For the slot that comes next.
    fn watch(&self, wires: &Wires) -> io::Result<()> {
        let slot = self.table.next_slot();
        let outputs = wires.out.iter().enumerate();
        let sources = [(Some(wires.status.as_fd()), Source::Status, event::READ)]
            .into_iter()
            .chain(outputs.map(|(stream, out)| (out.source(), Source::Out(stream), event::READ)))
            .chain([(wires.report(), Source::Report, event::READ)])
            .chain([(wires.stdin.as_ref().and_then(Stdin::sink), Source::Stdin, event::WRITE)]);
        for (fd, source, interest) in sources {
            if let Some(fd) = fd {
                pipe::set_nonblocking(fd)?;
                self.poller.watch(fd, token(source, slot), interest)?;
            }
        }
        Ok(())
    }

    /// The status pipe of a starting exec has something to say.
    pub(super) fn hear_start(&mut self, slot: usize) {
        let Some(exec) = self.table.get(slot) else { return };
        exec.hear_start(self.now);
        if exec.runs {
            self.begin_run(slot);
        }
        self.enqueue(slot);
    }

    /// The started process has been reaped with `status`.
    pub(super) fn finish(&mut self, slot: usize, status: i32) {
        self.shell_ends(slot, status);
        self.holder_ends(slot);
        let Some(exec) = self.table.get(slot) else { return };
        exec.hear_start(self.now);
        if let Some(stdin) = &mut exec.stdin {
            stdin.shut();
        }
        exec.out.iter_mut().for_each(OutStream::settle);
        let ended = exec.ending(status, self.now);
        if let (true, Some(group)) = (exec.cause == Cause::Oom, &exec.group) {
            group.kill();
        }
        exec.phase = Phase::Ended(Box::new(ended));
        self.timers.cancel(Timer::Timeout(exec.id));
        self.timers.set_once(self.now + SWEEP_DELAY, Timer::Sweep);
        self.enqueue(slot);
    }

    pub(super) fn time_out(&mut self, id: u64) {
        let Some(slot) = self.table.slot_of(id) else { return };
        let Some(exec) = self.table.get(slot) else { return };
        if exec.ended().is_some() || self.held.is_some() {
            return; // the release sets it again
        }
        let due = exec.began.saturating_add(exec.timeout);
        if due > self.now {
            self.timers.set(due, Timer::Timeout(id)); // it began later than it was forked
        } else {
            self.kill(slot, Cause::Timeout);
        }
    }

    /// Frozen processes do not use up their time.
    pub(super) fn hold(&mut self, on: bool) {
        match (on, self.held) {
            (true, None) => self.held = Some(self.now),
            (false, Some(since)) => {
                self.held = None;
                self.make_up(since);
            }
            _ => {}
        }
    }

    fn make_up(&mut self, since: u64) {
        for (_, exec) in self.table.all() {
            if exec.ended().is_none() {
                let frozen = self.now.saturating_sub(since.max(exec.forked));
                exec.forked += frozen;
                exec.began += frozen;
                if exec.timeout > 0 {
                    self.timers.cancel(Timer::Timeout(exec.id));
                    self.timers.set(exec.began.saturating_add(exec.timeout), Timer::Timeout(exec.id));
                }
            }
        }
    }
}

impl Exec {
    /// Kills all of it, for a reason that the ending will tell. The first reason stays.
    pub(super) fn kill(&mut self, cause: Cause) {
        if self.cause == Cause::Itself {
            self.cause = cause;
        }
        if let Some(group) = &self.group {
            group.kill();
        }
        if self.ended().is_none() {
            let _ = fork::kill(self.pid, libc::SIGKILL); // it may not have entered its group yet
        }
    }

    fn hear_start(&mut self, now: u64) {
        let Phase::Starting { status } = &self.phase else { return };
        let mut record = [0_u8; MAX_RECORD];
        match pipe::read(status, &mut record) {
            Err(error) if is_errno(&error, libc::EAGAIN) => return,
            Ok(length @ 1..) => self.refusal = Refusal::read(&record[..length]),
            _ => {
                self.runs = true;
                self.began = now;
            }
        }
        self.phase = Phase::Running;
    }

    fn ending(&mut self, status: i32, now: u64) -> Ended {
        let status = self.part.verdict().unwrap_or(status);
        if let Some(refusal) = &self.refusal {
            return refused_ending(self.id, refusal);
        }
        let (mut cpu_ns, mut peak_memory) = (0, 0);
        if let Some(group) = &self.group {
            (cpu_ns, peak_memory) = (group.cpu_ns(), group.peak_memory());
            if group.oom_kills() > self.part.oom_seen(status) {
                self.cause = Cause::Oom;
            }
        }
        let signaled = libc::WIFSIGNALED(status);
        let kind = match self.cause {
            Cause::Oom => Kind::Oom,
            Cause::Timeout => Kind::Timeout,
            Cause::Reclaim => Kind::Killed,
            Cause::Itself if signaled => Kind::Signaled,
            Cause::Itself => Kind::Exited,
        };
        Ended {
            exec: self.id,
            kind: kind as i32,
            code: if signaled { 0 } else { libc::WEXITSTATUS(status) as u32 },
            signal: if signaled { libc::WTERMSIG(status) as u32 } else { 0 },
            stdout_bytes: self.out[0].settled(),
            stderr_bytes: self.out[1].settled(),
            duration_ns: now.saturating_sub(self.forked),
            cpu_ns,
            peak_memory,
            disk_full: status != 0 && disk::is_full(),
            ..Ended::default()
        }
    }
}
