// SPDX-License-Identifier: Apache-2.0
//! Programs built into the guest. The forked child of an exec runs one in place of execve: as the user, in the exec's
//! groups, behind the system call filter, with the exec's stdin and stdout.
//!
//! Whoever may signal the user's processes may stop or kill an applet. Its memory and descriptors are closed to
//! them (it stays non-dumpable), and it holds no right that they do not have, so all they reach is their own sandbox.

mod connect;
mod files;
mod wire;

use crate::init::refusal::Refusal;
use crate::sys::{creds, fork, signals};
use crate::wire::guest::{Applet, Failure, Start};
use std::os::fd::{AsRawFd, OwnedFd};

const STDIN: i32 = 0;
const STDOUT: i32 = 1;

/// Returns only when the applet cannot start. `status` is closed as soon as it has.
pub fn run(start: &Start, status: &OwnedFd) -> Refusal {
    signals::ignore(libc::SIGPIPE);
    let begun = || {
        // SAFETY: this process never returns to the owner of the descriptor.
        unsafe { libc::close(status.as_raw_fd()) };
    };
    match start.applet() {
        Applet::Connect => match connect::open(&start.argv) {
            Ok(socket) => {
                let _ = creds::set_name(c"dsec-connect");
                begun();
                fork::exit(i32::from(connect::relay(&socket).is_err()))
            }
            Err(error) => refusal(&error, "connect"),
        },
        Applet::Files => {
            let _ = creds::set_name(c"dsec-files");
            begun();
            fork::exit(i32::from(files::serve().is_err()))
        }
        Applet::Program => Refusal::new(Failure::Invalid, libc::EINVAL, "no applet is named"),
    }
}

fn refusal(error: &std::io::Error, what: &str) -> Refusal {
    Refusal::new(Failure::Applet, crate::sys::errno(error), format!("{what}: {error}"))
}
