// SPDX-License-Identifier: Apache-2.0
//! Where the kernel finds our command line and environment, so that `init` can show another and the environment
//! (which may hold secrets of the node) is gone.

use crate::sys::dir;
use crate::wire::launch::wipe_bytes;
use std::io;

/// Addresses from `/proc/self/stat`: `… 140721 arg_start arg_end env_start env_end exit_code`.
#[derive(Clone, Copy)]
pub struct Argv {
    arguments: (usize, usize),
    environment: (usize, usize),
}

const AFTER_NAME: usize = 3; // the first field after "(name)" is number 3
const ARG_START: usize = 48;

impl Argv {
    pub fn find() -> io::Result<Argv> {
        let stat = dir::read_file(dir::HERE, "/proc/self/stat", 4096)?;
        parse(&String::from_utf8_lossy(&stat)).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))
    }

    pub fn wipe_environment(&self) {
        // SAFETY: see `memory`; nobody reads the environment after start.
        wipe_bytes(unsafe { memory(self.environment) });
    }

    /// What `/proc/PID/cmdline` shows from now on. A longer name is cut.
    pub fn rename(&self, name: &[u8]) {
        // SAFETY: see `memory`; arguments were parsed and copied at start.
        let shown = unsafe { memory(self.arguments) };
        wipe_bytes(shown);
        for (to, from) in shown.iter_mut().zip(name) {
            *to = *from;
        }
    }
}

/// # Safety
/// The range must come from the kernel's own record of this process' stack, and no other reference to it may be
/// in use.
unsafe fn memory((start, end): (usize, usize)) -> &'static mut [u8] {
    // SAFETY: the kernel laid these bytes out on our stack for the whole life of the process.
    unsafe { std::slice::from_raw_parts_mut(start as *mut u8, end.saturating_sub(start)) }
}

fn parse(stat: &str) -> Option<Argv> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split_ascii_whitespace().skip(ARG_START - AFTER_NAME);
    let mut next = || fields.next()?.parse::<usize>().ok().filter(|&address| address != 0);
    Some(Argv { arguments: (next()?, next()?), environment: (next()?, next()?) })
}
