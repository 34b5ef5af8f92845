// SPDX-License-Identifier: Apache-2.0
//! The forked child of an exec, up to execve. It may allocate and block as it likes: PID 1 does not wait for it.

use super::Post;
use super::groups::Group;
use super::identity::{self, Identity};
use super::program;
use super::refusal::Refusal;
use crate::applet;
use crate::launch::CAPABILITIES;
use crate::sys::{creds, dir, errno, fork, is_errno, pty, signals};
use crate::wire::guest::{Applet, Failure, Start};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

/// What the child takes along.
pub struct Ends {
    pub stdin: Option<OwnedFd>,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    pub status: OwnedFd,
    /// The standard descriptors are a terminal's slave.
    pub terminal: bool,
    /// Numbered from 3 on.
    pub further: Vec<OwnedFd>,
}

/// So that the kernel, short of memory as a whole, takes user programs before anything of the platform.
const OOM_SCORE: &[u8] = b"500";
/// Once arranged.
const STDOUT: BorrowedFd<'static> =
    // SAFETY: it stays open until execve.
    unsafe { BorrowedFd::borrow_raw(1) };
/// Group of terminals, as devpts is mounted.
const TTY_GROUP: u32 = 5;
/// What the kernel itself starts the first process with.
const STACK_BYTES: u64 = 8 * 1024 * 1024;

pub fn run(post: &Post, start: &Start, group: &Group, cloned_into: bool, ends: Ends) -> ! {
    signals::restore_default(libc::SIGPIPE);
    let refusal = match prepare(post, start, group, cloned_into, &ends) {
        Ok(_) if start.applet() != Applet::Program => applet::run(start, &ends.status),
        Ok((arguments, environment)) => program::execute(&arguments, &environment),
        Err(refusal) => refusal,
    };
    refusal.write(&ends.status);
    fork::exit(127)
}

type Texts = Vec<Vec<u8>>;

fn prepare(
    post: &Post,
    start: &Start,
    group: &Group,
    cloned_into: bool,
    ends: &Ends,
) -> Result<(Texts, Texts), Refusal> {
    move_in(post, group, cloned_into).map_err(|error| no_resources("enter the cgroups", &error))?;
    arrange(post, ends).map_err(|error| no_resources("arrange descriptors and limits", &error))?;
    let identity = identity::resolve(&start.user)
        .map_err(|message| Refusal::new(Failure::BadUser, libc::EINVAL, message))?;
    if ends.terminal {
        // As login does it. Programs that open the terminal by its name need it, others do not.
        let _ = dir::chown(STDOUT, b"", identity.uid, TTY_GROUP);
    }
    if !ends.further.is_empty() {
        hand_over(&identity).map_err(|error| no_resources("hand over descriptors", &error))?;
    }
    if start.create_cwd && !start.cwd.is_empty() {
        make_directories(&start.cwd, &identity)
            .map_err(|error| bad_cwd("make working directory", &start.cwd, &error))?;
    }
    become_user(&identity)?;
    enter_directory(&start.cwd, &identity)?;
    let arguments = program::arguments(start);
    let environment = program::environment(start, &identity);
    post.filter.install().map_err(|error| no_resources("install the system call filter", &error))?;
    signals::block_only(&[]);
    Ok((arguments, environment))
}

/// Enters the exec's groups.
pub fn move_in(post: &Post, group: &Group, cloned_into: bool) -> io::Result<()> {
    post.groups.enter(group, cloned_into)?;
    // The file belongs to the host's root while memory is hidden. Showing it for a moment gives nothing away: to
    // look at a process one needs all of its capabilities, and this one still has more than any user code.
    creds::set_dumpable(true)?;
    let _ = dir::write_file(dir::HERE, "/proc/self/oom_score_adj", OOM_SCORE);
    creds::set_dumpable(false)
}

fn arrange(post: &Post, ends: &Ends) -> io::Result<()> {
    signals::new_session()?;
    if ends.terminal {
        pty::control(ends.stdout.as_fd())?;
    }
    dir::place(ends.stdin.as_ref().unwrap_or(&post.null), 0)?;
    dir::place(&ends.stdout, 1)?;
    dir::place(&ends.stderr, 2)?;
    let mut kept = vec![ends.status.as_raw_fd()];
    for (fd, number) in ends.further.iter().zip(3..) {
        dir::place(fd, number)?;
        kept.push(number);
    }
    dir::close_all_but(&mut kept)?;
    let most = creds::hard_limit(libc::RLIMIT_NOFILE);
    let files = if post.nofile == 0 { most } else { post.nofile.min(most) };
    creds::set_limit(libc::RLIMIT_NOFILE, files, files)?;
    creds::set_limit(libc::RLIMIT_CORE, 0, 0)?;
    let stack = creds::hard_limit(libc::RLIMIT_STACK);
    creds::set_limit(libc::RLIMIT_STACK, STACK_BYTES.min(stack), stack)
}

/// The shell of a session opens by name what its holder has, so it must be the user's.
fn hand_over(identity: &Identity) -> io::Result<()> {
    for number in 1..=4 {
        // SAFETY: arranged, and open until execve.
        let fd = unsafe { BorrowedFd::borrow_raw(number) };
        dir::chown(fd, b"", identity.uid, identity.gid)?;
    }
    Ok(())
}

fn become_user(identity: &Identity) -> Result<(), Refusal> {
    let kept = if identity.uid == 0 { CAPABILITIES } else { 0 };
    creds::become_ids(identity.uid, identity.gid, &identity.groups)
        .and_then(|()| creds::set_capabilities(kept))
        .map_err(|error| {
            let who = format!("become {}:{}: {error}", identity.uid, identity.gid);
            Refusal::new(Failure::BadUser, errno(&error), who)
        })
}

fn enter_directory(cwd: &[u8], identity: &Identity) -> Result<(), Refusal> {
    if cwd.is_empty() {
        let home = if identity.home.starts_with('/') { &identity.home } else { "/" };
        return change_directory(home.as_bytes())
            .or_else(|_| change_directory(b"/"))
            .map_err(|error| bad_cwd("enter", b"/", &error));
    }
    change_directory(cwd).map_err(|error| bad_cwd("enter working directory", cwd, &error))
}

fn change_directory(path: &[u8]) -> io::Result<()> {
    std::env::set_current_dir(OsStr::from_bytes(path))
}

/// Makes what is missing of `path`, as root, and gives it to the user. Only directories made here change hands.
fn make_directories(path: &[u8], identity: &Identity) -> io::Result<()> {
    let mut place = dir::open_dir(dir::HERE, "/")?;
    for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        match dir::make_dir(place.as_fd(), name, 0o755) {
            Ok(()) => {
                let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;
                place = dir::open(place.as_fd(), name, flags, 0)?;
                dir::chown(place.as_fd(), b"", identity.uid, identity.gid)?;
            }
            Err(error) if is_errno(&error, libc::EEXIST) => place = dir::open_dir(place.as_fd(), name)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn bad_cwd(what: &str, path: &[u8], error: &io::Error) -> Refusal {
    let message = format!("{what} {:?}: {error}", String::from_utf8_lossy(path));
    Refusal::new(Failure::BadCwd, errno(error), message)
}

fn no_resources(what: &str, error: &io::Error) -> Refusal {
    Refusal::new(Failure::NoResources, errno(error), format!("{what}: {error}"))
}
