// SPDX-License-Identifier: Apache-2.0
//! The sandbox's file systems, made with the host's rights as detached mounts.
//!
//! Lowers, upper and binds are seen through the sandbox's user namespace (id-mapped mounts), so what lies on
//! disk carries the sandbox's own ids. The overlay acts on its upper with the ids of whoever mounts it; hence it
//! is mounted with file-system ids of the sandbox's root while keeping every capability.

use super::identity;
use crate::error::{Step, StepError};
use crate::sys::creds::FileIds;
use crate::sys::mounts::{self, NewFs};
use crate::sys::{dir, is_errno};
use crate::wire::launch::{Bind, LaunchRequest};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

pub fn overlay(request: &LaunchRequest, namespace: BorrowedFd) -> Result<OwnedFd, StepError> {
    let fs = NewFs::open("overlay").step("overlay", "open")?;
    let mut layers = Vec::with_capacity(request.lowers.len()); // a clone dissolves when closed
    for lower in &request.lowers {
        let layer = mounts::clone_tree(dir::HERE, lower).step("clone layer", lower)?;
        map_ids(layer.as_fd(), 0, namespace).step("map layer", lower)?;
        configure(&fs, "lowerdir+", lower, |fs| fs.fd("lowerdir+", layer.as_fd()))?;
        layers.push(layer);
    }
    let (_tree, upper, work) = upper_and_work(request, namespace)?;
    let _ids = FileIds::take(request.id_base, request.id_base).step("overlay", "take ids")?;
    let named = match request.forked {
        false => write_names(upper.as_fd(), &request.hostname),
        true => identity::renew(upper.as_fd(), request),
    };
    named.step("write host names", &request.upper)?;
    configure(&fs, "upperdir", &request.upper, |fs| fs.fd("upperdir", upper.as_fd()))?;
    configure(&fs, "workdir", &request.work, |fs| fs.fd("workdir", work.as_fd()))?;
    // File events need nfs_export, which needs index and excludes metacopy.
    for (key, value) in [("index", "on"), ("nfs_export", "on"), ("metacopy", "off"), ("xino", "auto")] {
        configure(&fs, key, value, |fs| fs.text(key, value))?;
    }
    // A sandbox does not outlive its host's power, so no sync of it reaches the disk; else each unmount would
    // sync the whole file system that all the uppers share.
    configure(&fs, "volatile", "", |fs| fs.flag("volatile"))?;
    configure(&fs, "create", &request.upper, NewFs::create)?;
    fs.mount(mounts::NOSUID | mounts::NODEV).step("overlay", "mount")
}

fn configure(
    fs: &NewFs,
    key: &str,
    object: &str,
    call: impl FnOnce(&NewFs) -> io::Result<()>,
) -> Result<(), StepError> {
    call(fs).map_err(|source| StepError {
        step: "overlay",
        object: format!("{key} {object} ({})", fs.log()),
        source,
    })
}

/// Upper and work must lie in one mount, so their common directory is what is cloned and id-mapped. The clone (first
/// of the three) dissolves when closed, so it is kept until the overlay has its own.
fn upper_and_work(
    request: &LaunchRequest,
    namespace: BorrowedFd,
) -> Result<(OwnedFd, OwnedFd, OwnedFd), StepError> {
    let (upper, work) = (Path::new(&request.upper), Path::new(&request.work));
    let common: PathBuf =
        upper.components().zip(work.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    let named = common.display().to_string();
    let tree =
        mounts::clone_tree(dir::HERE, common.as_os_str().as_encoded_bytes()).step("clone upper", &named)?;
    // No fall-back: without the mapping every file would get a host id.
    mounts::set_attributes(tree.as_fd(), 0, Some(namespace)).step("map upper", &named)?;
    let inside = |path: &Path| -> Result<OwnedFd, StepError> {
        let shown = path.display().to_string();
        let below =
            path.strip_prefix(&common).map_err(|_| StepError::new("open upper", &shown, libc::EINVAL))?;
        let opened =
            dir::open_dir(tree.as_fd(), below.as_os_str().as_encoded_bytes()).step("open upper", &shown)?;
        same_place(opened.as_fd(), path).step("open upper", &shown)?;
        Ok(opened)
    };
    let (upper, work) = (inside(upper)?, inside(work)?);
    Ok((tree, upper, work))
}

/// The sandbox's name, and that it is its own address. Written here, where it costs a fraction of a copy up.
fn write_names(upper: BorrowedFd, hostname: &str) -> io::Result<()> {
    dir::make_dir(upper, "etc", 0o755)?;
    let hosts = format!(
        "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n{} {hostname}\n",
        identity::OWN_ADDRESS
    );
    for (name, text) in [("etc/hosts", hosts), ("etc/hostname", format!("{hostname}\n"))] {
        let file = dir::open(upper, name, libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY, 0o644)?;
        dir::write_once(&file, text.as_bytes())?;
    }
    Ok(())
}

/// A mount between the common directory and the path would be missing in the clone.
fn same_place(opened: BorrowedFd, path: &Path) -> io::Result<()> {
    let (a, b) = (dir::stat(opened, "")?, dir::stat(dir::HERE, path.as_os_str().as_encoded_bytes())?);
    if (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino) {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(libc::EXDEV))
    }
}

pub fn bind(bind: &Bind, namespace: BorrowedFd) -> Result<OwnedFd, StepError> {
    let tree = mounts::clone_tree(dir::HERE, &bind.source).step("clone bind", &bind.source)?;
    let read_only = if bind.writable { 0 } else { mounts::RDONLY };
    let attributes = mounts::NOSUID | mounts::NODEV | read_only;
    if bind.id_mapped {
        map_ids(tree.as_fd(), attributes, namespace)
    } else {
        mounts::set_attributes(tree.as_fd(), attributes, None)
    }
    .step("set bind", &bind.source)?;
    Ok(tree)
}

/// The device directory: nodes work (no nodev), nothing may be written or run there.
pub fn devices(path: &str, namespace: BorrowedFd) -> Result<OwnedFd, StepError> {
    let tree = mounts::clone_tree(dir::HERE, path).step("clone dev", path)?;
    let attributes = mounts::RDONLY | mounts::NOSUID | mounts::NOEXEC;
    map_ids(tree.as_fd(), attributes, namespace).step("set dev", path)?;
    Ok(tree)
}

/// Id-maps where the file system can; elsewhere files appear as owned by nobody.
fn map_ids(tree: BorrowedFd, attributes: u64, namespace: BorrowedFd) -> io::Result<()> {
    match mounts::set_attributes(tree, attributes, Some(namespace)) {
        Err(error) if is_errno(&error, libc::EINVAL) || is_errno(&error, libc::EPERM) => {
            if attributes == 0 {
                Ok(())
            } else {
                mounts::set_attributes(tree, attributes, None)
            }
        }
        result => result,
    }
}
