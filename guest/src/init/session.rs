// SPDX-License-Identifier: Apache-2.0
//! Shell sessions: a shell that stays, and the commands that it runs one after the other.
//!
//! The shell is an exec; it is interactive, so that SIGINT brings it back from whatever it runs and errors do not end
//! it, but has no terminal. Its stdin is a control channel of ours. Each run is an exec too: its process, the *holder*,
//! does nothing but hold the run's descriptors, which the shell opens by `/proc/HOLDER/fd/N`:
//!
//! ```text
//! 0  (the holder waits for its end)
//! 1  stdout   2  stderr                     pipes of this run alone: nothing to be told apart, nothing to forge
//! 3  the command's text, a memory file      the shell sources it, so text is never part of another text
//! 4  the report                             the shell writes the status there when it is through
//! ```
//!
//! A control line for the shell is constant but for the holder's pid. No process that a command starts has any
//! descriptor of the control channel or of another run. What a command leaves in the background keeps the pipes of
//! its run, so its late output is that run's.
//!
//! While it runs, the shell is in the run's cgroup, and with it all that it starts. To kill a run, the shell is taken
//! out, the group killed, and the shell interrupted. A shell that does not come back is killed, and the session ends.

use super::Init;
use super::exec::{Cause, Exec};
use super::groups::Group;
use super::refusal::Refusal;
use super::timers::Timer;
use crate::sys::time::{MILLISECOND, SECOND};
use crate::sys::{dir, fork, is_errno, pipe};
use crate::wire::guest::{Failure, Start};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// For a shell to come back from a run that was killed, before it is killed itself.
const PATIENCE: u64 = SECOND;
/// The interrupt is repeated: a shell whose program dies of something else at that moment pays no heed to it.
const INSIST: u64 = 20 * MILLISECOND;

/// Told to a new shell. `__dsec` gives a run the status that the last one left; `__dsec_h` refuses here-documents
/// without an end, which bash would run with a warning.
const PREAMBLE: &str = "PS1= PS2=; __dsec_s=0; __dsec() { return $1; }\n";
const PREAMBLE_OF_BASH: &str = r#"set +o history +H; unset HISTFILE MAILCHECK PROMPT_COMMAND; __dsec_h() { local o; o=$(BASH_ENV= LC_ALL=C "$BASH" --norc -n $1/3 2>&1 </dev/null); case $o in *'warning: here-document at line '*) printf 'bash: syntax error: %s\n' "${o#*warning: }" >$1/2; return 2; esac; }
"#;

/// What an exec is of a session.
pub enum Part {
    None,
    Shell(Shell),
    Run(Run),
}

pub struct Shell {
    control: OwnedFd,
    user: String,
    bash: bool,
    /// The run (by id) that it is busy with.
    run: Option<u64>,
    /// Processes of its groups that the kernel had killed for memory before this run.
    oom_seen: u64,
}

pub struct Run {
    /// By id.
    shell: u64,
    report: OwnedFd,
    /// Closed with us, which ends the holder.
    _hold: OwnedFd,
    heredoc: bool,
    /// The shell was told of it.
    begun: bool,
    /// How the run ended, as a wait status.
    verdict: Option<i32>,
    /// When the shell is given up, once the run was killed.
    patience: Option<u64>,
}

impl Part {
    /// How a run has ended, as the wait status of what it ran.
    pub fn verdict(&self) -> Option<i32> {
        match self {
            Part::Run(run) => run.verdict,
            _ => None,
        }
    }

    /// Processes killed for memory that do not count against an exec that ended with this wait status.
    pub fn oom_seen(&self, status: i32) -> u64 {
        match self {
            Part::Shell(shell) if libc::WIFSIGNALED(status) => shell.oom_seen,
            Part::Shell(_) => u64::MAX,
            _ => 0,
        }
    }
}

impl Shell {
    pub fn new(control: OwnedFd, start: &Start, bash: bool) -> Shell {
        let shell = Shell { control, user: start.user.clone(), bash, run: None, oom_seen: 0 };
        shell.tell(if bash { PREAMBLE_OF_BASH } else { "" });
        shell.tell(PREAMBLE);
        shell
    }

    /// Lines are few and short, and the shell reads them before it gets others, so they always fit.
    fn tell(&self, line: &str) {
        if !line.is_empty() {
            let _ = dir::write_once(&self.control, line.as_bytes());
        }
    }
}

impl Run {
    pub fn new(report: OwnedFd, hold: OwnedFd, start: &Start) -> Run {
        let heredoc = start.argv[0].windows(2).any(|pair| pair == b"<<");
        Run {
            shell: start.session,
            report,
            _hold: hold,
            heredoc,
            begun: false,
            verdict: None,
            patience: None,
        }
    }

    pub fn report(&self) -> BorrowedFd<'_> {
        self.report.as_fd()
    }
}

impl Init {
    /// Starts the holder of a run in the shell's groups, as its user. The shell is busy from now on.
    pub(super) fn spawn_run(&mut self, start: &Start) -> Result<Exec, Refusal> {
        let (start, shell) = self.claim(start)?;
        let home = self.table.get(shell).and_then(|exec| exec.group.as_ref()).map(Group::try_clone);
        let spawned = match home {
            Some(Ok(home)) => self.spawn(&start, Some(&home)),
            _ => Err(Refusal::new(Failure::NoResources, libc::EMFILE, "the groups of the session's shell")),
        };
        if spawned.is_err() {
            self.unclaim(start.session, start.exec);
        }
        spawned
    }

    fn claim(&mut self, start: &Start) -> Result<(Start, usize), Refusal> {
        let over = || Refusal::new(Failure::SessionEnded, libc::ESRCH, "the session's shell has ended");
        let slot = self.table.slot_of(start.session).ok_or_else(over)?;
        let exec = self.table.get(slot).filter(|exec| exec.ended().is_none()).ok_or_else(over)?;
        let oom_kills = exec.group.as_ref().map_or(0, Group::oom_kills);
        let Part::Shell(shell) = &mut exec.part else { return Err(over()) };
        if let Some(run) = shell.run {
            return Err(Refusal::new(
                Failure::SessionBusy,
                libc::EBUSY,
                format!("e-{run} runs in this session"),
            ));
        }
        shell.run = Some(start.exec);
        shell.oom_seen = oom_kills;
        Ok((Start { user: shell.user.clone(), cwd: b"/".to_vec(), ..start.clone() }, slot))
    }

    fn shell_of(&mut self, run: usize) -> Option<usize> {
        let id = match &self.table.get(run)?.part {
            Part::Run(run) => run.shell,
            _ => return None,
        };
        self.table.slot_of(id)
    }

    /// The shell of a session is free again, if it was `run`'s.
    fn unclaim(&mut self, session: u64, run: u64) {
        let Some(exec) = self.table.slot_of(session).and_then(|slot| self.table.get(slot)) else { return };
        if let Part::Shell(shell) = &mut exec.part
            && shell.run == Some(run)
        {
            shell.run = None;
        }
    }

    /// The holder stands: the shell may begin.
    pub(super) fn begin_run(&mut self, slot: usize) {
        let Some(shell_slot) = self.shell_of(slot) else { return };
        let Some(shell_pid) = self.table.get(shell_slot).map(|exec| exec.pid) else { return };
        let Some(exec) = self.table.get(slot) else { return };
        let Part::Run(run) = &mut exec.part else { return };
        run.begun = true;
        if let Some(group) = &exec.group {
            let _ = group.take_in(shell_pid);
        }
        let (holder, heredoc) = (exec.pid, matches!(&exec.part, Part::Run(run) if run.heredoc));
        let Some(Exec { part: Part::Shell(shell), .. }) = self.table.get(shell_slot) else { return };
        let fds = format!("/proc/{holder}/fd");
        let run = format!("__dsec $__dsec_s; \\. {fds}/3 >{fds}/1 2>{fds}/2 </dev/null");
        if heredoc && shell.bash {
            shell.tell(&format!("if __dsec_h {fds} 2>/dev/null; then {run}; else __dsec 2; fi\n"));
        } else {
            shell.tell(&format!("{run}\n"));
        }
        shell.tell(&format!("__dsec_s=$?; \\echo $__dsec_s >{fds}/4\n"));
    }

    /// The shell reports the status of its run.
    pub(super) fn hear_report(&mut self, slot: usize) {
        let mut text = [0_u8; 16];
        let Some(Exec { part: Part::Run(run), .. }) = self.table.get(slot) else { return };
        let length = match pipe::read(&run.report, &mut text) {
            Ok(length @ 1..) => length,
            Err(error) if is_errno(&error, libc::EAGAIN) => return,
            _ => return, // the holder is gone
        };
        let status = String::from_utf8_lossy(&text[..length]).trim().parse::<i32>().unwrap_or(1);
        self.end_run(slot, (status & 0xff) << 8);
    }

    /// The shell is through with a run, or has ended itself.
    fn end_run(&mut self, slot: usize, verdict: i32) {
        let shell = self.shell_of(slot);
        let mut starved = false;
        if let Some(exec) = shell.and_then(|shell| self.table.get(shell)) {
            exec.go_home();
            let oom_kills = exec.group.as_ref().map_or(0, Group::oom_kills);
            if let Part::Shell(shell) = &mut exec.part {
                starved = oom_kills > shell.oom_seen;
                shell.run = None;
            }
        }
        let Some(exec) = self.table.get(slot) else { return };
        let Part::Run(run) = &mut exec.part else { return };
        run.verdict.get_or_insert(verdict);
        if starved && exec.cause == Cause::Itself {
            exec.cause = Cause::Oom;
        }
        let _ = fork::kill(exec.pid, libc::SIGKILL); // the holder has done its part; its end is the run's
    }

    /// Before the ending of a shell is made.
    pub(super) fn shell_ends(&mut self, slot: usize, status: i32) {
        let Some(Exec { part: Part::Shell(shell), .. }) = self.table.get(slot) else { return };
        if let Some(run) = shell.run.take().and_then(|id| self.table.slot_of(id)) {
            self.end_run(run, status);
        }
    }

    /// A holder that ends before its run cannot take the report; the shell that would give it is of no use any more.
    pub(super) fn holder_ends(&mut self, slot: usize) {
        let Some(shell) = self.shell_of(slot).filter(|_| self.runs(slot)) else { return };
        let Some(Exec { id, part: Part::Run(run), .. }) = self.table.get(slot) else { return };
        let (id, session, begun) = (*id, run.shell, run.begun);
        self.unclaim(session, id);
        if let (true, Some(shell)) = (begun, self.table.get(shell)) {
            shell.kill(Cause::Itself);
        }
    }

    /// Kills all of an exec; of a run, what it has started, but the shell only if it does not come back from it.
    pub(super) fn kill(&mut self, slot: usize, cause: Cause) {
        let Some(shell) = self.shell_of(slot).filter(|_| self.runs(slot)) else {
            if let Some(exec) = self.table.get(slot) {
                exec.kill(cause);
            }
            return;
        };
        if let Some(exec) = self.table.get(shell) {
            exec.go_home();
        }
        let now = self.now;
        let Some(exec) = self.table.get(slot) else { return };
        if exec.cause == Cause::Itself {
            exec.cause = cause;
        }
        if let Some(group) = &exec.group {
            group.kill();
        }
        let id = exec.id;
        if let Part::Run(run) = &mut exec.part {
            run.patience.get_or_insert(now + PATIENCE);
        }
        self.insist(id);
    }

    /// Whether it is a run that the shell is busy with.
    fn runs(&mut self, slot: usize) -> bool {
        self.table.get(slot).is_some_and(|exec| {
            exec.ended().is_none() && matches!(&exec.part, Part::Run(run) if run.verdict.is_none())
        })
    }

    /// The shell of a killed run is interrupted until it comes back, or killed when it does not.
    pub(super) fn insist(&mut self, id: u64) {
        let now = self.now;
        let Some(slot) = self.table.slot_of(id).filter(|&slot| self.runs(slot)) else { return };
        if self.held.is_some() {
            self.timers.set(now + INSIST, Timer::Insist(id)); // frozen: it cannot come back
            return;
        }
        let Some(shell) = self.shell_of(slot) else { return };
        let Some(exec) = self.table.get(slot) else { return };
        let given_up = matches!(&exec.part, Part::Run(run) if run.patience.is_some_and(|until| until <= now));
        let Some(shell) = self.table.get(shell) else { return };
        if given_up {
            shell.kill(Cause::Itself);
            return;
        }
        let _ = fork::kill(-shell.pid, libc::SIGINT);
        self.timers.set(now + INSIST, Timer::Insist(id));
    }

    /// A signal for what a session runs: an interrupt is for the shell as well, as from a terminal.
    pub(super) fn signal_run(&mut self, slot: usize, signal: i32) -> bool {
        let Some(shell) = self.shell_of(slot) else { return false };
        let Some(shell) = self.table.get(shell).filter(|exec| exec.ended().is_none()).map(|exec| exec.pid)
        else {
            return true;
        };
        if signal == libc::SIGINT {
            let _ = fork::kill(-shell, signal);
        } else if let Some(group) = self.table.get(slot).and_then(|exec| exec.group.as_ref()) {
            group.signal_but(signal, shell);
        }
        true
    }
}

impl Exec {
    /// The exec (by id) that ends because the kernel has killed a process of this one's groups for memory.
    pub(super) fn starved(&self) -> Option<u64> {
        let kills = self.group.as_ref()?.oom_kills();
        match &self.part {
            Part::Shell(shell) => shell.run.filter(|_| kills > shell.oom_seen),
            _ => (kills > 0).then_some(self.id),
        }
    }

    /// Back into its own group, out of that of a run.
    fn go_home(&self) {
        if let Some(group) = self.group.as_ref().filter(|_| self.ended().is_none()) {
            let _ = group.take_in(self.pid);
        }
    }
}
