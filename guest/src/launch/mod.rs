// SPDX-License-Identifier: Apache-2.0
//! The host side: a long-lived server that turns requests into sandboxes.
//!
//! It keeps no state about sandboxes: it may be restarted at any time and none of them notices.

mod argv;
mod create;
mod groups;
mod identity;
mod inside;
mod masks;
mod rootfs;
mod server;
mod stage;
mod timings;
mod view;

use crate::error::{Step, StepError};
use crate::seccomp::Filter;
use crate::sys::{creds, signals};
pub use inside::CAPABILITIES;
use stage::Stage;
use std::path::Path;

/// What every create uses, made once.
pub struct Launcher {
    stage: Stage,
    filter: Filter,
    masks: masks::Masks,
    argv: argv::Argv,
}

/// Serves until the end of stdin.
pub fn serve(socket: &Path) -> Result<(), StepError> {
    signals::restore_defaults();
    signals::block_only(&[]);
    signals::ignore(libc::SIGPIPE);
    signals::ignore(libc::SIGCHLD); // the kernel reaps; endings are not our business
    creds::set_dumpable(false).step("hide memory", "launch")?;
    creds::set_umask(0o022);
    let argv = argv::Argv::find().step("find own arguments", "/proc/self/stat")?;
    argv.wipe_environment();
    let launcher =
        Launcher { stage: Stage::build()?, filter: Filter::build(), masks: masks::Masks::find(), argv };
    server::run(&launcher, socket)
}
