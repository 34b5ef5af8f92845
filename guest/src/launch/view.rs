// SPDX-License-Identifier: Apache-2.0
//! What the sandbox sees at /sys/fs/cgroup: its own groups, read-only, so that run-times find their limits.
//!
//! v1: a directory per controller, as programs expect it. v2: the group of the sandbox's work.

use crate::error::{Step, StepError};
use crate::sys::{dir, mounts};
use crate::wire::launch::LaunchRequest;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

const PLACE: &str = "/sys/fs/cgroup";
const QUIET: u64 = mounts::RDONLY | mounts::NOSUID | mounts::NODEV | mounts::NOEXEC;
/// A file that only one controller's groups have.
const MARKS: [(&str, &str); 3] =
    [("memory.limit_in_bytes", "memory"), ("cpu.cfs_quota_us", "cpu"), ("pids.max", "pids")];

/// The host's side: (controller, detached mount); the unified tree has no name.
pub fn open(request: &LaunchRequest) -> Result<Vec<(&'static str, OwnedFd)>, StepError> {
    if request.memory_group.is_empty() {
        let work = Path::new(&request.v2_group).join("work");
        return Ok(vec![("", tree(&work)?)]);
    }
    let joined = request.join.iter().filter_map(|procs| Path::new(procs).parent());
    let mut views = Vec::new();
    for group in [Path::new(&request.memory_group)].into_iter().chain(joined) {
        if let Some((_, controller)) = MARKS.iter().find(|(mark, _)| group.join(mark).exists()) {
            views.push((*controller, tree(group)?));
        }
    }
    Ok(views)
}

fn tree(group: &Path) -> Result<OwnedFd, StepError> {
    let shown = group.display().to_string();
    let tree = mounts::clone_tree(dir::HERE, group.as_os_str().as_encoded_bytes())
        .step("clone cgroup view", &shown)?;
    mounts::set_attributes(tree.as_fd(), QUIET, None).step("set cgroup view", shown)?;
    Ok(tree)
}

/// The sandbox's side, once /sys is there.
pub fn attach(views: &[(String, OwnedFd)]) -> Result<(), StepError> {
    if let [(name, tree)] = views
        && name.is_empty()
    {
        return mounts::attach(tree.as_fd(), PLACE).step("attach cgroup view", PLACE);
    }
    let fs = mounts::NewFs::open("tmpfs").step("open", PLACE)?;
    fs.text("mode", "0755").and_then(|()| fs.create()).step("create", PLACE)?;
    let place = fs.mount(QUIET & !mounts::RDONLY).step("mount", PLACE)?;
    mounts::attach(place.as_fd(), PLACE).step("attach", PLACE)?;
    for (name, tree) in views {
        let target = format!("{PLACE}/{name}");
        dir::make_dir(dir::HERE, &target, 0o755).step("make directory", &target)?;
        mounts::attach(tree.as_fd(), &target).step("attach cgroup view", target)?;
    }
    mounts::set_attributes(place.as_fd(), mounts::RDONLY, None).step("make read-only", PLACE)
}
