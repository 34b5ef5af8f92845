// SPDX-License-Identifier: Apache-2.0
//! User ids, capabilities and other attributes of the process. Raw calls: they act on this thread alone, which
//! is the whole process.

use super::{check, check_int};
use std::io;

const SECBIT_NO_SETUID_FIXUP: u64 = 1 << 2;
const CAP_VERSION_3: u32 = 0x2008_0522;
const LAST_CAP: u32 = 63;

fn prctl(option: i32, arg2: u64) -> io::Result<i32> {
    // SAFETY: only options that take plain numbers or a pointer kept alive by the caller come here.
    check_int(unsafe { libc::prctl(option, arg2, 0, 0, 0) })
}

pub fn set_dumpable(dumpable: bool) -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, dumpable as u64).map(drop)
}

pub fn set_no_new_privs() -> io::Result<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1).map(drop)
}

pub fn set_name(name: &std::ffi::CStr) -> io::Result<()> {
    prctl(libc::PR_SET_NAME, name.as_ptr() as u64).map(drop)
}

pub fn set_umask(mask: u32) {
    // SAFETY: plain number.
    unsafe { libc::umask(mask) };
}

/// Real, effective, saved and file-system ids.
pub fn become_ids(uid: u32, gid: u32, groups: &[u32]) -> io::Result<()> {
    // SAFETY: `groups` is a valid slice; the rest are plain numbers.
    unsafe {
        check(libc::syscall(libc::SYS_setgroups, groups.len(), groups.as_ptr()))?;
        check(libc::syscall(libc::SYS_setresgid, gid, gid, gid))?;
        check(libc::syscall(libc::SYS_setresuid, uid, uid, uid))?;
    }
    Ok(())
}

/// Acts on files as `uid`:`gid` while the returned value lives, and keeps every capability meanwhile.
pub struct FileIds;

impl FileIds {
    pub fn take(uid: u32, gid: u32) -> io::Result<FileIds> {
        prctl(libc::PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)?;
        let taken = FileIds;
        set_file_ids(uid, gid);
        Ok(taken)
    }
}

impl Drop for FileIds {
    fn drop(&mut self) {
        set_file_ids(0, 0);
        let _ = prctl(libc::PR_SET_SECUREBITS, 0);
    }
}

pub fn set_file_ids(uid: u32, gid: u32) {
    // SAFETY: plain numbers; these calls report no errors.
    unsafe {
        libc::syscall(libc::SYS_setfsgid, gid);
        libc::syscall(libc::SYS_setfsuid, uid);
    }
}

/// Takes every capability that is not in `kept` out of the bounding set.
pub fn bound_capabilities(kept: u64) -> io::Result<()> {
    for capability in 0..=LAST_CAP {
        if kept & (1 << capability) == 0 {
            match prctl(libc::PR_CAPBSET_DROP, u64::from(capability)) {
                Err(error) if super::is_errno(&error, libc::EINVAL) => break,
                result => result?,
            };
        }
    }
    Ok(())
}

/// Permitted and effective become `set`; inheritable and ambient become empty.
pub fn set_capabilities(set: u64) -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    #[repr(C)]
    struct Data {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    let header = Header { version: CAP_VERSION_3, pid: 0 };
    let half = |bits: u32| Data { effective: bits, permitted: bits, inheritable: 0 };
    let data = [half(set as u32), half((set >> 32) as u32)];
    // SAFETY: both structures have the layout that version 3 of the interface asks for.
    check(unsafe { libc::syscall(libc::SYS_capset, &raw const header, data.as_ptr()) }).map(drop)
}

pub fn set_limit(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: `limit` is valid.
    check_int(unsafe { libc::setrlimit(resource, &limit) }).map(drop)
}

/// The hard limit of `resource`.
pub fn hard_limit(resource: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for the answer.
    unsafe { libc::getrlimit(resource, &mut limit) };
    limit.rlim_max
}
