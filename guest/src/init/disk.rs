// SPDX-License-Identifier: Apache-2.0
//! Whether the writable layer is full: asked only when an exec ended badly.

use crate::sys::{dir, errno};
use std::fs::File;
use std::io::{self, Write};

static PROBE: [u8; 64 * 1024] = [0; 64 * 1024];

/// Tries to write 64 KiB to a nameless file. Quota groups and free blocks answer at write, before any disk does.
pub fn is_full() -> bool {
    match probe("/tmp").or_else(|error| if refuses(&error) { Err(error) } else { probe("/") }) {
        Ok(()) => false,
        Err(error) => refuses(&error),
    }
}

fn refuses(error: &io::Error) -> bool {
    matches!(errno(error), libc::ENOSPC | libc::EDQUOT)
}

fn probe(directory: &str) -> io::Result<()> {
    let flags = libc::O_TMPFILE | libc::O_WRONLY | libc::O_NOFOLLOW;
    File::from(dir::open(dir::HERE, directory, flags, 0o600)?).write_all(&PROBE)
}
