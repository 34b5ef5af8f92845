// SPDX-License-Identifier: Apache-2.0
//! What of /proc and /sys is hidden or made read-only.
//!
//! The sandbox's root is nobody there: a file that only its owner may touch is safe already, and hiding it would
//! cost a mount per sandbox. So the lists below are cut down, once, to what others may read (or write).

use crate::error::{Step, StepError};
use crate::sys::{dir, mounts};
use std::os::fd::AsFd;

const HIDDEN_FILES: [&str; 14] = [
    "/proc/kcore",
    "/proc/keys",
    "/proc/key-users",
    "/proc/kallsyms",
    "/proc/kmsg",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/latency_stats",
    "/proc/sched_debug",
    "/proc/slabinfo",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/proc/vmallocinfo",
];
const HIDDEN_DIRS: [&str; 9] = [
    "/proc/acpi",
    "/proc/asound",
    "/proc/scsi",
    "/proc/driver",
    "/sys/firmware",
    "/sys/devices/virtual/powercap",
    "/sys/kernel/debug",
    "/sys/kernel/security",
    "/sys/kernel/tracing",
];
/// Looked at by others' write bit alone: the sandbox's root owns nothing there but some of /proc/sys.
const READ_ONLY: [&str; 5] = ["/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sysrq-trigger"];

pub struct Masks {
    files: Vec<&'static str>,
    dirs: Vec<&'static str>,
    read_only: Vec<&'static str>,
}

impl Masks {
    pub fn find() -> Masks {
        let open_to_others = |bits: u32| {
            move |path: &&str| dir::stat(dir::HERE, path).is_ok_and(|found| found.st_mode & bits != 0)
        };
        let empty = |path: &&str| std::fs::read_dir(path).is_ok_and(|mut names| names.next().is_none());
        Masks {
            files: HIDDEN_FILES.into_iter().filter(open_to_others(0o006)).collect(),
            dirs: HIDDEN_DIRS.into_iter().filter(open_to_others(0o005)).filter(|path| !empty(path)).collect(),
            read_only: READ_ONLY.into_iter().filter(open_to_others(0o007)).collect(),
        }
    }

    /// Inside, after /dev, /proc and /sys are there and before anything is mounted below /dev.
    pub fn apply(&self) -> Result<(), StepError> {
        for path in &self.read_only {
            let tree = mounts::clone_tree(dir::HERE, path).step("clone", *path)?;
            mounts::set_attributes(tree.as_fd(), mounts::RDONLY, None).step("make read-only", *path)?;
            mounts::attach(tree.as_fd(), path).step("make read-only", *path)?;
        }
        hide(&self.files, "/dev/null")?;
        hide(&self.dirs, "/dev/mqueue")
    }
}

/// Puts the (empty, read-only) `cover` over each path; one that this kernel does not have needs none.
fn hide(paths: &[&'static str], cover: &'static str) -> Result<(), StepError> {
    for path in paths {
        let tree = mounts::clone_tree(dir::HERE, cover).step("clone", cover)?;
        match mounts::attach(tree.as_fd(), path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            result => result.step("hide", *path)?,
        }
    }
    Ok(())
}
