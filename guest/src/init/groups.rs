// SPDX-License-Identifier: Apache-2.0
//! The cgroups of execs: one below `work` (v2: to kill, list and count), and where memory is a v1 controller one
//! below the sandbox's memory group (to tell whose process the kernel killed for memory).

use crate::sys::{check, dir, fork, is_errno};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

/// Directories and files opened by launch with the host's rights.
pub struct Groups {
    /// v2: parent of the execs' groups.
    pub work: OwnedFd,
    /// v1: parent of the execs' memory groups.
    pub memory: Option<OwnedFd>,
    /// v1: `cgroup.procs` of the sandbox's groups, memory included, which each exec's process joins.
    pub join: Vec<OwnedFd>,
    pub oom: Option<OomSource>,
}

/// What tells that the sandbox ran out of memory.
pub enum OomSource {
    /// v1: an eventfd.
    Notification(OwnedFd),
    /// v2: `memory.events` of `work`.
    Events(OwnedFd),
}

impl Groups {
    pub fn descriptors(&self) -> Vec<RawFd> {
        let oom = self.oom.as_ref().map(|source| match source {
            OomSource::Notification(fd) | OomSource::Events(fd) => fd.as_raw_fd(),
        });
        let fixed = [Some(self.work.as_raw_fd()), self.memory.as_ref().map(AsRawFd::as_raw_fd), oom];
        fixed.into_iter().flatten().chain(self.join.iter().map(AsRawFd::as_raw_fd)).collect()
    }

    pub fn make(&self, name: &str) -> io::Result<Group> {
        dir::make_dir(self.work.as_fd(), name, 0o755)?;
        let group = self.open(name);
        if group.is_err() {
            let _ = dir::remove_dir(self.work.as_fd(), name);
        }
        group
    }

    fn open(&self, name: &str) -> io::Result<Group> {
        let unified = dir::open_dir(self.work.as_fd(), name)?;
        let memory = match &self.memory {
            None => None,
            Some(parent) => {
                dir::make_dir(parent.as_fd(), name, 0o755)?;
                Some(dir::open_dir(parent.as_fd(), name)?)
            }
        };
        Ok(Group { name: name.to_string(), unified, memory })
    }

    /// Removes what is empty; true when nothing is left of the group.
    pub fn remove(&self, group: &Group) -> bool {
        let gone = |parent: BorrowedFd| match dir::remove_dir(parent, &group.name) {
            Ok(()) => true,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        let unified = gone(self.work.as_fd());
        unified & self.memory.as_ref().is_none_or(|parent| gone(parent.as_fd()))
    }

    /// Called by the forked process itself: enters everything that it was not cloned into. The groups of the sandbox
    /// become the root of what it sees of cgroups, which hides their names and fits the mounts at /sys/fs/cgroup.
    pub fn enter(&self, group: &Group, cloned_into: bool) -> io::Result<()> {
        if !cloned_into {
            dir::write_file(group.unified.as_fd(), "cgroup.procs", b"0")?;
        }
        for procs in &self.join {
            dir::write_once(procs, b"0")?;
        }
        fork::unshare(libc::CLONE_NEWCGROUP)?;
        match &group.memory {
            Some(memory) => dir::write_file(memory.as_fd(), "cgroup.procs", b"0"),
            None => Ok(()),
        }
    }
}

/// The groups of one exec.
pub struct Group {
    name: String,
    unified: OwnedFd,
    memory: Option<OwnedFd>,
}

impl Group {
    pub fn try_clone(&self) -> io::Result<Group> {
        let memory = self.memory.as_ref().map(OwnedFd::try_clone).transpose()?;
        Ok(Group { name: self.name.clone(), unified: self.unified.try_clone()?, memory })
    }

    /// A fork straight into the group; a group at its pids limit refuses that but still lets itself be joined.
    ///
    /// # Safety
    /// As for `fork::fork`.
    pub unsafe fn fork(&self) -> io::Result<(fork::Forked, bool)> {
        // SAFETY: passed on to the caller.
        match unsafe { fork::fork(0, Some(self.unified.as_fd())) } {
            Ok(forked) => Ok((forked, true)),
            Err(error) if is_errno(&error, libc::ENOMEM) => Err(error),
            // SAFETY: passed on to the caller.
            Err(_) => unsafe { fork::fork(0, None) }.map(|forked| (forked, false)),
        }
    }

    /// Kills everything in the group, at once and whatever it does.
    pub fn kill(&self) {
        if dir::write_file(self.unified.as_fd(), "cgroup.kill", b"1").is_err() {
            self.signal(libc::SIGKILL);
        }
    }

    /// Moves a process of the sandbox into the group (of memory it stays where it is).
    pub fn take_in(&self, pid: i32) -> io::Result<()> {
        dir::write_file(self.unified.as_fd(), "cgroup.procs", pid.to_string().as_bytes())
    }

    pub fn signal(&self, signal: i32) {
        self.signal_but(signal, 0);
    }

    /// Signals each process of the group but one. A pid may be reused between two looks, hence the second one, taken while
    /// a pidfd holds the process.
    pub fn signal_but(&self, signal: i32, spared: i32) {
        for pid in self.processes() {
            if pid == spared {
                continue;
            }
            let Ok(process) = fork::pidfd_open(pid) else { continue };
            if self.processes().contains(&pid) {
                let _ = fork::pidfd_signal(process.as_fd(), signal);
            }
        }
    }

    fn processes(&self) -> Vec<i32> {
        const MOST: u64 = 1024 * 1024;
        let text = dir::read_file(self.unified.as_fd(), "cgroup.procs", MOST).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().filter_map(|line| line.parse().ok()).collect()
    }

    /// Processes of the group that the kernel has killed for memory.
    pub fn oom_kills(&self) -> u64 {
        match &self.memory {
            // "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"
            Some(memory) => self.number(memory, "memory.oom_control", "oom_kill"),
            // "low 0\nhigh 0\nmax 4\noom 1\noom_kill 1\noom_group_kill 0\n"
            None => self.number(&self.unified, "memory.events", "oom_kill"),
        }
    }

    /// Most memory held at once, in bytes; 0 where unknown.
    pub fn peak_memory(&self) -> u64 {
        let (group, file) = match &self.memory {
            Some(memory) => (memory, "memory.max_usage_in_bytes"),
            None => (&self.unified, "memory.peak"),
        };
        let text = dir::read_file(group.as_fd(), file, 64).unwrap_or_default();
        String::from_utf8_lossy(&text).trim().parse().unwrap_or(0)
    }

    /// Processor time in nanoseconds. `cpu.stat` starts with "usage_usec 1234\n" even without controllers.
    pub fn cpu_ns(&self) -> u64 {
        self.number(&self.unified, "cpu.stat", "usage_usec").saturating_mul(1000)
    }

    fn number(&self, group: &OwnedFd, file: &str, key: &str) -> u64 {
        let text = dir::read_file(group.as_fd(), file, 4096).unwrap_or_default();
        keyed_number(&String::from_utf8_lossy(&text), key)
    }
}

fn keyed_number(text: &str, key: &str) -> u64 {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok()).unwrap_or(0)
}

/// Takes note of a notification, so that the next one is a change again.
pub fn quiet(notification: &OwnedFd) {
    let mut count = [0_u8; 8];
    // SAFETY: an eventfd gives 8 bytes.
    let _ = check(unsafe { libc::read(notification.as_raw_fd(), count.as_mut_ptr().cast(), 8) } as i64);
}

#[cfg(test)]
mod tests {
    use super::keyed_number;

    #[test]
    fn numbers_are_found_by_their_whole_key() {
        let text = "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n";
        assert_eq!(keyed_number(text, "oom_kill"), 3);
        assert_eq!(keyed_number(text, "oom"), 0);
        assert_eq!(keyed_number("usage_usec 1234\nuser_usec 1000\n", "usage_usec"), 1234);
    }
}
