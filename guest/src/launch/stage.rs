// SPDX-License-Identifier: Apache-2.0
//! The stage: a mount namespace that holds next to nothing, in which sandboxes are cloned.
//!
//! A clone copies the mount namespace it starts in. Starting in the host's would copy each of its mounts (they
//! grow with every layer) only to throw them away, and would let a host that masks parts of /proc forbid a
//! fresh one. The stage is a tmpfs with /proc, /sys and /new, where the sandbox's root is attached.

use crate::error::{Step, StepError};
use crate::sys::fork::{self, Forked};
use crate::sys::{dir, mounts};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Where a new root is attached, before it becomes the root.
pub const NEW_ROOT: &str = "/new";

pub struct Stage {
    host: OwnedFd,
    stage: OwnedFd,
}

impl Stage {
    pub fn build() -> Result<Stage, StepError> {
        let host = current().step("open", "mount namespace of the host")?;
        fork::unshare(libc::CLONE_NEWNS).step("unshare", "mount namespace")?;
        mounts::make_private().step("make private", "/")?;
        let root = mounts::NewFs::open("tmpfs").step("open", "tmpfs")?;
        root.text("mode", "0755").and_then(|()| root.create()).step("create", "tmpfs")?;
        let root = root.mount(mounts::NOSUID | mounts::NODEV).step("mount", "tmpfs")?;
        mounts::attach(root.as_fd(), "/sys").step("attach", "stage")?;
        std::env::set_current_dir("/sys").step("enter", "stage")?;
        for name in ["proc", "sys", "new"] {
            dir::make_dir(dir::HERE, name, 0o755).step("make directory", name)?;
        }
        let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        mounts::mount("proc", "proc", flags, "").step("mount", "stage proc")?;
        mounts::mount("sysfs", "sys", flags | libc::MS_RDONLY, "").step("mount", "stage sysfs")?;
        mounts::pivot_here().and_then(|()| mounts::drop_old_root()).step("pivot", "stage")?;
        let stage = current().step("open", "mount namespace of the stage")?;
        let built = Stage { host, stage };
        fork::setns(built.host.as_fd(), libc::CLONE_NEWNS).step("return", "mount namespace of the host")?;
        Ok(built)
    }

    /// Forks with `flags` on the stage: the child stays on its copy, the parent goes back to the host's mounts.
    ///
    /// # Safety
    /// As for `fork::fork`.
    pub unsafe fn fork(&self, flags: u64, group: BorrowedFd) -> io::Result<Forked> {
        fork::setns(self.stage.as_fd(), libc::CLONE_NEWNS)?;
        // SAFETY: passed on to the caller.
        let forked = unsafe { fork::fork(flags, Some(group)) };
        if !matches!(forked, Ok(Forked::Child))
            && let Err(error) = fork::setns(self.host.as_fd(), libc::CLONE_NEWNS)
        {
            eprintln!("dsec-guest launch: cannot return to the host's mounts: {error}");
            fork::exit(1); // every later path would be looked up in the wrong place
        }
        forked
    }
}

fn current() -> io::Result<OwnedFd> {
    dir::open(dir::HERE, "/proc/self/ns/mnt", libc::O_RDONLY, 0)
}
