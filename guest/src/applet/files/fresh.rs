// SPDX-License-Identifier: Apache-2.0
//! A file in the making: without a name, or with a hidden one for a moment, until all of it is there.

use crate::sys::{dir, is_errno};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

/// Hidden names, for file systems that cannot do without and for the moment of a replacement.
pub const PREFIX: &str = ".dsec-";

static SERIAL: AtomicU32 = AtomicU32::new(0);

pub struct Fresh<'a> {
    place: &'a OwnedFd,
    pub file: File,
    /// Where the file system knows no files without a name.
    hidden: Option<String>,
}

impl<'a> Fresh<'a> {
    pub fn make(place: &'a OwnedFd, mode: u32) -> io::Result<Fresh<'a>> {
        match dir::open(place.as_fd(), ".", libc::O_TMPFILE | libc::O_RDWR, mode) {
            Ok(file) => Ok(Fresh { place, file: File::from(file), hidden: None }),
            Err(error)
                if [libc::EOPNOTSUPP, libc::EISDIR, libc::ENOENT].iter().any(|&n| is_errno(&error, n)) =>
            {
                Fresh::hidden(place, mode)
            }
            Err(error) => Err(error),
        }
    }

    /// For what is complete in a moment and replaces something: a replacement passes through a hidden name anyway, and
    /// to begin with it is a third cheaper.
    pub fn hidden(place: &'a OwnedFd, mode: u32) -> io::Result<Fresh<'a>> {
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
        let mut made = None;
        let name = unused(|name| {
            made = Some(dir::open(place.as_fd(), name, flags, mode)?);
            Ok(())
        })?;
        let file = made.ok_or(io::ErrorKind::NotFound)?;
        Ok(Fresh { place, file: File::from(file), hidden: Some(name) })
    }

    /// Gives it its name, in place of what has it now.
    pub fn commit(mut self, name: &[u8]) -> io::Result<()> {
        let hidden = match self.hidden.clone() {
            Some(hidden) => hidden,
            None => {
                let this = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                match dir::link(dir::HERE, &this, self.place.as_fd(), name, true) {
                    Err(error) if is_errno(&error, libc::EEXIST) => {}
                    result => return result,
                }
                unused(|hidden| dir::link(dir::HERE, &this, self.place.as_fd(), hidden.as_bytes(), true))?
            }
        };
        self.hidden = Some(hidden.clone());
        dir::rename(self.place.as_fd(), hidden.as_bytes(), name)?;
        self.hidden = None;
        Ok(())
    }
}

impl Drop for Fresh<'_> {
    fn drop(&mut self) {
        if let Some(hidden) = &self.hidden {
            let _ = dir::remove_file(self.place.as_fd(), hidden);
        }
    }
}

/// Calls `take` with names until one is free.
fn unused(mut take: impl FnMut(&str) -> io::Result<()>) -> io::Result<String> {
    loop {
        let name = format!("{PREFIX}{}-{}", std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed));
        match take(&name) {
            Err(error) if is_errno(&error, libc::EEXIST) => {}
            result => return result.map(|()| name),
        }
    }
}
