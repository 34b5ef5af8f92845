// SPDX-License-Identifier: Apache-2.0
//! The forked child of an exec, up to execve. It may allocate and block as it likes: PID 1 does not wait for it.

use super::Post;
use super::groups::Group;
use super::identity::{self, Identity};
use super::program;
use super::refusal::Refusal;
use crate::launch::CAPABILITIES;
use crate::sys::{creds, dir, errno, fork, is_errno, signals};
use crate::wire::guest::{Failure, Start};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// What the child takes along.
pub struct Ends {
    pub stdin: Option<OwnedFd>,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    pub status: OwnedFd,
}

/// Where the status pipe lies while everything above it is closed.
const STATUS: i32 = 3;
/// So that the kernel, short of memory as a whole, takes user programs before anything of the platform.
const OOM_SCORE: &[u8] = b"500";

pub fn run(post: &Post, start: &Start, group: &Group, cloned_into: bool, ends: Ends) -> ! {
    signals::restore_default(libc::SIGPIPE);
    let refusal = match prepare(post, start, group, cloned_into, &ends) {
        Ok((arguments, environment)) => program::execute(&arguments, &environment),
        Err(refusal) => refusal,
    };
    // SAFETY: `prepare` may have moved the pipe to STATUS; before that STATUS is not a pipe of ours, and the
    // original descriptor is still open.
    refusal.write(&ends.status);
    // SAFETY: see above; a failed write on a wrong descriptor number is harmless in a process about to leave.
    refusal.write(unsafe { std::os::fd::BorrowedFd::borrow_raw(STATUS) });
    identity::leave()
}
