// SPDX-License-Identifier: Apache-2.0
//! Names of its own for a sandbox whose writable layer was another's.
//!
//! User code has had its way with that layer: no link is followed on the way to a file, only regular files are read
//! and replaced, and what a user removed or put in their place stays as it is.

use crate::sys::{check, dir};
use crate::wire::launch::LaunchRequest;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The address that a sandbox's own name stands for.
pub const OWN_ADDRESS: &str = "127.0.1.1";
const MAX_HOSTS: u64 = 1024 * 1024;
const NO_LINKS: i32 = libc::O_NOFOLLOW | libc::O_NOCTTY | libc::O_NONBLOCK;

pub fn renew(upper: BorrowedFd, request: &LaunchRequest) -> io::Result<()> {
    let Ok(etc) = dir::open(upper, "etc", libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW, 0) else {
        return Ok(());
    };
    if is_file(&etc, "hostname") {
        replace(&etc, "hostname", &format!("{}\n", request.hostname))?;
    }
    if is_file(&etc, "hosts") {
        let file = File::from(dir::open(etc.as_fd(), "hosts", libc::O_RDONLY | NO_LINKS, 0)?);
        let hosts = String::from_utf8_lossy(&dir::read_limited(file, MAX_HOSTS)?).into_owned();
        replace(&etc, "hosts", &with_name(&hosts, &request.hostname))?;
    }
    let below = |lower: &String| {
        dir::stat(dir::HERE, format!("{lower}/etc/machine-id")).is_ok_and(|found| dir::is_regular(&found))
    };
    let ours = dir::stat(etc.as_fd(), "machine-id").ok();
    let had = ours.map_or_else(|| request.lowers.iter().any(below), |found| dir::is_regular(&found));
    if had { replace(&etc, "machine-id", &machine_id()?) } else { Ok(()) }
}

fn is_file(etc: &OwnedFd, name: &str) -> bool {
    dir::stat(etc.as_fd(), name).is_ok_and(|found| dir::is_regular(&found))
}

/// A new file in place of the old, which may have other names.
fn replace(etc: &OwnedFd, name: &str, text: &str) -> io::Result<()> {
    match dir::remove_file(etc.as_fd(), name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_NOFOLLOW;
    let file = dir::open(etc.as_fd(), name, flags, 0o644)?;
    dir::write_once(&file, text.as_bytes()).map(drop)
}

/// What else a user wrote there stays.
fn with_name(hosts: &str, hostname: &str) -> String {
    let own = |line: &str| line.split_whitespace().next() == Some(OWN_ADDRESS);
    hosts
        .lines()
        .map(|line| if own(line) { format!("{OWN_ADDRESS} {hostname}\n") } else { format!("{line}\n") })
        .collect()
}

fn machine_id() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    // SAFETY: `bytes` is valid for its length; 16 bytes come whole.
    check(unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } as i64)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_name_changes_in_hosts() {
        let hosts = "127.0.0.1 localhost\n127.0.1.1 old\n# mine\n10.0.0.1 db 127.0.1.1";
        let renewed = "127.0.0.1 localhost\n127.0.1.1 new\n# mine\n10.0.0.1 db 127.0.1.1\n";
        assert_eq!(with_name(hosts, "new"), renewed);
    }

    #[test]
    fn machine_ids_differ() {
        let (a, b) = (machine_id().unwrap(), machine_id().unwrap());
        assert!(a != b && a.len() == 33);
    }
}
