// SPDX-License-Identifier: Apache-2.0
//! The mount interface by descriptors (open_tree, fsopen, move_mount …) and the classic one.

use super::{c_string, check, check_int};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

pub const RDONLY: u64 = 0x1;
pub const NOSUID: u64 = 0x2;
pub const NODEV: u64 = 0x4;
pub const NOEXEC: u64 = 0x8;
const IDMAP: u64 = 0x0010_0000;

const OPEN_TREE_CLONE: u32 = 1;
const OPEN_TREE_CLOEXEC: u32 = libc::O_CLOEXEC as u32;
const FSOPEN_CLOEXEC: u32 = 1;
const FSMOUNT_CLOEXEC: u32 = 1;
const FSCONFIG_SET_FLAG: u32 = 0;
const FSCONFIG_SET_STRING: u32 = 1;
const FSCONFIG_SET_FD: u32 = 5;
const FSCONFIG_CMD_CREATE: u32 = 6;
const MOVE_MOUNT_F_EMPTY_PATH: u32 = 0x4;

#[repr(C)]
#[derive(Default)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns_fd: u64,
}

fn owned(ret: i64) -> io::Result<OwnedFd> {
    let fd = check(ret)? as RawFd;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A detached clone of the mount that holds `path`, with `path` as its root.
pub fn clone_tree(dir: BorrowedFd, path: impl AsRef<[u8]>) -> io::Result<OwnedFd> {
    let path = c_string(path.as_ref())?;
    let flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | libc::AT_EMPTY_PATH as u32;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    owned(unsafe { libc::syscall(libc::SYS_open_tree, dir.as_raw_fd(), path.as_ptr(), flags) })
}

/// Sets mount attributes and, with `id_map`, the user namespace whose ids its files carry.
pub fn set_attributes(mount: BorrowedFd, set: u64, id_map: Option<BorrowedFd>) -> io::Result<()> {
    let mut attr = MountAttr { set, ..MountAttr::default() };
    if let Some(namespace) = id_map {
        attr.set |= IDMAP;
        attr.userns_fd = namespace.as_raw_fd() as u64;
    }
    // SAFETY: the empty path means the descriptor itself; `attr` has the layout of struct mount_attr.
    let ret = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &raw const attr,
            size_of::<MountAttr>(),
        )
    };
    check(ret).map(drop)
}

/// Attaches a detached mount at `target`, in this process' mount namespace.
pub fn attach(mount: BorrowedFd, target: impl AsRef<[u8]>) -> io::Result<()> {
    let target = c_string(target.as_ref())?;
    // SAFETY: both paths are NUL-terminated and outlive the call.
    let ret = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            target.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    };
    check(ret).map(drop)
}

/// A file system being configured. Errors carry what the kernel logged about it.
pub struct NewFs(OwnedFd);

impl NewFs {
    pub fn open(kind: &str) -> io::Result<NewFs> {
        let kind = c_string(kind.as_bytes())?;
        // SAFETY: `kind` is NUL-terminated and outlives the call.
        owned(unsafe { libc::syscall(libc::SYS_fsopen, kind.as_ptr(), FSOPEN_CLOEXEC) }).map(NewFs)
    }

    pub fn flag(&self, key: &str) -> io::Result<()> {
        self.configure(FSCONFIG_SET_FLAG, Some(key), None, 0)
    }

    pub fn text(&self, key: &str, value: &str) -> io::Result<()> {
        self.configure(FSCONFIG_SET_STRING, Some(key), Some(value), 0)
    }

    pub fn fd(&self, key: &str, value: BorrowedFd) -> io::Result<()> {
        self.configure(FSCONFIG_SET_FD, Some(key), None, value.as_raw_fd())
    }

    pub fn create(&self) -> io::Result<()> {
        self.configure(FSCONFIG_CMD_CREATE, None, None, 0)
    }

    /// The mount, detached.
    pub fn mount(&self, attributes: u64) -> io::Result<OwnedFd> {
        // SAFETY: plain numbers and an open descriptor.
        owned(unsafe {
            libc::syscall(libc::SYS_fsmount, self.0.as_raw_fd(), FSMOUNT_CLOEXEC, attributes as u32)
        })
    }

    /// What the kernel has to say about the last failure.
    pub fn log(&self) -> String {
        let mut said = Vec::new();
        let mut line = [0_u8; 512];
        let Ok(copy) = self.0.try_clone() else { return String::new() };
        let mut log = std::fs::File::from(copy);
        while let Ok(length @ 1..) = log.read(&mut line) {
            said.extend_from_slice(&line[..length]);
        }
        String::from_utf8_lossy(&said).trim().replace('\n', "; ")
    }

    fn configure(&self, command: u32, key: Option<&str>, value: Option<&str>, aux: i32) -> io::Result<()> {
        let key = key.map(|key| c_string(key.as_bytes())).transpose()?;
        let value = value.map(|value| c_string(value.as_bytes())).transpose()?;
        let pointer =
            |text: &Option<std::ffi::CString>| text.as_ref().map_or(std::ptr::null(), |t| t.as_ptr());
        // SAFETY: key and value are null or NUL-terminated and outlive the call.
        let ret = unsafe {
            libc::syscall(
                libc::SYS_fsconfig,
                self.0.as_raw_fd(),
                command,
                pointer(&key),
                pointer(&value),
                aux,
            )
        };
        check(ret).map(drop)
    }
}

/// Classic mount of a new file system `kind` at `target`.
pub fn mount(kind: &str, target: &str, flags: u64, options: &str) -> io::Result<()> {
    let (kind, target, options) =
        (c_string(kind.as_bytes())?, c_string(target.as_bytes())?, c_string(options.as_bytes())?);
    // SAFETY: every text is NUL-terminated and outlives the call.
    let ret =
        unsafe { libc::mount(kind.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) };
    check_int(ret).map(drop)
}

/// Makes every mount of this namespace private.
pub fn make_private() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: constant texts; the unused ones may be null.
    let ret =
        unsafe { libc::mount(std::ptr::null(), c"/".as_ptr(), std::ptr::null(), flags, std::ptr::null()) };
    check_int(ret).map(drop)
}

/// The working directory, which must be a mount, becomes the root. The old root stays stacked on it for now.
pub fn pivot_here() -> io::Result<()> {
    // SAFETY: constant texts.
    check(unsafe { libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) }).map(drop)
}

/// Lets the old root go, with everything below it.
pub fn drop_old_root() -> io::Result<()> {
    // SAFETY: constant text. The old root lies on top of the new one, so "." names it.
    check_int(unsafe { libc::umount2(c".".as_ptr(), libc::MNT_DETACH) })?;
    std::env::set_current_dir("/")
}
