// SPDX-License-Identifier: Apache-2.0
//! The cgroup directories and files that `init` will need, opened while we still have the host's rights.
//!
//! `init` stays in `v2_group/init` and in launch's own v1 groups, outside of the sandbox's limits: it is never
//! throttled, refused a fork, or picked by the sandbox's out-of-memory killer.

use crate::error::{Step, StepError};
use crate::init::groups::{Groups, OomSource};
use crate::sys::{check_int, dir};
use crate::wire::launch::LaunchRequest;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

pub struct Prepared {
    /// The group that `init` is cloned into.
    pub init: OwnedFd,
    pub groups: Groups,
}

pub fn prepare(request: &LaunchRequest) -> Result<Prepared, StepError> {
    let sandbox = dir::open_dir(dir::HERE, &request.v2_group).step("open cgroup", &request.v2_group)?;
    let init = dir::open_dir(sandbox.as_fd(), "init").step("open cgroup", "init")?;
    let work = dir::open_dir(sandbox.as_fd(), "work").step("open cgroup", "work")?;
    // A fork into work/e-N needs write access to cgroup.procs of the common ancestor, checked against init's ids.
    for path in ["cgroup.procs", "work", "work/cgroup.procs"] {
        dir::chown(sandbox.as_fd(), path.as_bytes(), request.id_base, request.id_base)
            .step("chown cgroup", path)?;
    }
    let memory = match request.memory_group.as_str() {
        "" => None,
        path => Some(memory_group(path, request.id_base)?),
    };
    let oom = match &memory {
        Some(memory) => oom_notification(memory)?,
        None => dir::open(work.as_fd(), "memory.events", libc::O_RDONLY, 0).ok().map(OomSource::Events),
    };
    let mut join = Vec::with_capacity(request.join.len() + 1);
    let of_memory = memory.as_ref().map(|_| format!("{}/cgroup.procs", request.memory_group));
    for path in of_memory.iter().chain(&request.join) {
        // Opened here because the kernel checks the opener's rights, not the writer's.
        join.push(dir::open(dir::HERE, path, libc::O_WRONLY, 0).step("open cgroup", path)?);
    }
    Ok(Prepared { init, groups: Groups { work, memory, join, oom } })
}

fn memory_group(path: &str, owner: u32) -> Result<OwnedFd, StepError> {
    let group = dir::open_dir(dir::HERE, path).step("open cgroup", path)?;
    dir::chown(group.as_fd(), b"", owner, owner).step("chown cgroup", path)?;
    Ok(group)
}

/// v1 tells of a memory shortage below `memory` through an eventfd; the victims' counters follow a moment later.
fn oom_notification(memory: &OwnedFd) -> Result<Option<OomSource>, StepError> {
    // SAFETY: plain numbers.
    let fd = check_int(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })
        .step("make eventfd", "memory.oom_control")?;
    // SAFETY: the kernel has just made this descriptor for us.
    let event = unsafe { OwnedFd::from_raw_fd(fd) };
    let control = dir::open(memory.as_fd(), "memory.oom_control", libc::O_RDONLY, 0)
        .step("open", "memory.oom_control")?;
    let order = format!("{} {}", event.as_raw_fd(), control.as_raw_fd());
    dir::write_file(memory.as_fd(), "cgroup.event_control", order.as_bytes())
        .step("watch", "memory.oom_control")?;
    Ok(Some(OomSource::Notification(event)))
}
