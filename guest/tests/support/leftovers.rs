// SPDX-License-Identifier: Apache-2.0
//! Taking labs down: their own, and those of runs that were killed.

use super::{CONTROLLERS, DISK, PREFIX, SCRATCH, UNIFIED};
use dsec_guest::sys::fork;
use std::ffi::CString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Removes what runs that no longer exist have left.
pub fn sweep() {
    let Ok(names) = fs::read_dir(UNIFIED) else { return };
    let scratch = SCRATCH.iter().filter_map(|place| fs::read_dir(place).ok()).flatten();
    for entry in names.chain(scratch).flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let Some(pid) = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()) else { continue };
        if !Path::new("/proc").join(pid).exists() {
            eprintln!("sweeping {name}, left by a run that was killed");
            clear(&name);
        }
    }
}

pub fn clear(name: &str) {
    let unified = Path::new(UNIFIED).join(name);
    let _ = fs::write(unified.join("cgroup.kill"), "1");
    for controller in CONTROLLERS {
        let group = Path::new("/sys/fs/cgroup").join(controller).join(name);
        // A launch that outlived its test is in no v2 group of ours.
        for pid in fs::read_to_string(group.join("guests/cgroup.procs")).unwrap_or_default().lines() {
            let _ = fork::kill(pid.parse().unwrap(), libc::SIGKILL);
        }
        remove_group(&group);
    }
    remove_group(&unified);
    for place in SCRATCH {
        unmount(&Path::new(place).join(name).join(DISK));
        let _ = fs::remove_dir_all(Path::new(place).join(name));
    }
}

fn unmount(path: &Path) {
    let Ok(path) = CString::new(path.as_os_str().as_encoded_bytes()) else { return };
    // SAFETY: the path is NUL-terminated and outlives the call.
    unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) };
}

/// Removes a tree of cgroups, waiting for the killed to leave.
pub fn remove_group(group: &Path) {
    let Ok(children) = fs::read_dir(group) else { return };
    for child in children.flatten().filter(|child| child.path().is_dir()) {
        remove_group(&child.path());
    }
    eventually(&format!("{} is empty", group.display()), || fs::remove_dir(group).is_ok() || !group.exists());
}

/// Waits for a condition, at most 10 s.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "not in 10 s: {what}");
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(2));
    }
}
