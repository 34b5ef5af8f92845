// SPDX-License-Identifier: Apache-2.0
//! The child of a create: from the clone to the first turn of `init`'s loop. Nothing here returns to launch.

use super::groups::Prepared;
use super::timings::Timings;
use super::{Launcher, stage, view};
use crate::error::{Step, StepError};
use crate::init::{self, Post};
use crate::sys::{check_int, creds, dir, fork, mounts, signals, sockets};
use crate::wire::launch::{LaunchReply, LaunchRequest};
use prost::Message;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

/// What a sandbox's root keeps, of what runtimes usually give: no raw sockets, devices, file capabilities, audit.
pub const CAPABILITIES: u64 = 1 << 0 // CHOWN
    | 1 << 1 // DAC_OVERRIDE
    | 1 << 3 // FOWNER
    | 1 << 4 // FSETID
    | 1 << 5 // KILL
    | 1 << 6 // SETGID
    | 1 << 7 // SETUID
    | 1 << 8 // SETPCAP
    | 1 << 10 // NET_BIND_SERVICE
    | 1 << 18; // SYS_CHROOT

pub fn run(
    launcher: &Launcher,
    request: &LaunchRequest,
    link: OwnedFd,
    listener: OwnedFd,
    prepared: Prepared,
) -> ! {
    let mut timings = Timings::start();
    let post = match furnish(launcher, request, &link, &mut timings) {
        Ok(null) => Post {
            sandbox: request.sandbox.clone(),
            listener,
            groups: prepared.groups,
            null,
            nofile: request.nofile,
            filter: launcher.filter.clone(),
        },
        Err(error) => {
            report(&link, &failure(&error, timings));
            fork::exit(1)
        }
    };
    let kept = post.descriptors();
    match settle(launcher, &kept, link.as_raw_fd()).and_then(|()| init::Init::new(post)) {
        Ok(init) => {
            timings.mark("inside: settle");
            let reply = LaunchReply { ok: true, timings: timings.take(), ..LaunchReply::default() };
            if !report(&link, &reply) {
                fork::exit(1); // nobody knows of us
            }
            drop(link);
            init.run()
        }
        Err(error) => {
            report(&link, &failure(&error, timings));
            fork::exit(1)
        }
    }
}

/// Namespaces and mounts; returns the sandbox's /dev/null.
fn furnish(
    launcher: &Launcher,
    request: &LaunchRequest,
    link: &OwnedFd,
    timings: &mut Timings,
) -> Result<OwnedFd, StepError> {
    signals::block_only(&[libc::SIGCHLD]);
    signals::restore_default(libc::SIGCHLD);
    fork::unshare(libc::CLONE_NEWNET).step("unshare", "network namespace")?;
    sockets::loopback_up().step("take up", "lo")?;
    set_hostname(&request.hostname)?;
    timings.mark("inside: network");
    let furniture = receive_mounts(link)?;
    timings.mark("inside: wait");
    creds::become_ids(0, 0, &[]).step("become", "root of the sandbox")?;
    mounts::attach(furniture.root.as_fd(), stage::NEW_ROOT).step("attach", "root")?;
    std::env::set_current_dir(stage::NEW_ROOT).step("enter", "root")?;
    mounts::pivot_here().step("pivot", "root")?;
    fill_root(launcher, request, &furniture, timings)?;
    mounts::drop_old_root().step("let go", "old root")?;
    timings.mark("inside: pivot");
    dir::open(dir::HERE, "/dev/null", libc::O_RDWR, 0).step("open", "/dev/null")
}

/// A fresh /proc may only be mounted while the old one is still in sight, so this comes before the detach.
fn fill_root(
    launcher: &Launcher,
    request: &LaunchRequest,
    furniture: &Furniture,
    timings: &mut Timings,
) -> Result<(), StepError> {
    let quiet = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    for path in ["/proc", "/sys", "/dev"] {
        let _ = dir::make_dir(dir::HERE, path, 0o755); // usually there
    }
    mounts::mount("proc", "/proc", quiet, "").step("mount", "/proc")?;
    mounts::mount("sysfs", "/sys", quiet | libc::MS_RDONLY, "").step("mount", "/sys")?;
    mounts::attach(furniture.dev.as_fd(), "/dev").step("attach", "/dev")?;
    timings.mark("inside: proc sys dev");
    launcher.masks.apply()?;
    timings.mark("inside: masks");
    view::attach(&furniture.views)?;
    timings.mark("inside: cgroups");
    let (pts, queue) = (libc::MS_NOSUID | libc::MS_NOEXEC, quiet);
    mounts::mount("devpts", "/dev/pts", pts, "newinstance,ptmxmode=0666,mode=0620,gid=5")
        .step("mount", "/dev/pts")?;
    let inodes = (request.shm_bytes / 4096).clamp(1024, 1 << 20);
    let shm = format!("mode=1777,size={},nr_inodes={inodes}", request.shm_bytes.max(4096));
    mounts::mount("tmpfs", "/dev/shm", libc::MS_NOSUID | libc::MS_NODEV, &shm).step("mount", "/dev/shm")?;
    mounts::mount("mqueue", "/dev/mqueue", queue, "").step("mount", "/dev/mqueue")?;
    timings.mark("inside: dev");
    for (bind, mount) in request.binds.iter().zip(&furniture.binds) {
        mounts::attach(mount.as_fd(), &bind.target).step("attach bind", &bind.target)?;
    }
    timings.mark("inside: binds");
    Ok(())
}

/// What launch has made for us: the root, /dev, the views of cgroups (their names are the message), the binds.
struct Furniture {
    root: OwnedFd,
    dev: OwnedFd,
    views: Vec<(String, OwnedFd)>,
    binds: Vec<OwnedFd>,
}

fn receive_mounts(link: &OwnedFd) -> Result<Furniture, StepError> {
    let mut names = [0_u8; 512];
    let (length, fds) = sockets::receive_fds(link.as_fd(), &mut names).step("receive", "mounts")?;
    let mut fds = fds.into_iter();
    let missing = || StepError::new("receive", "mounts", libc::ECANCELED);
    let (root, dev) = (fds.next().ok_or_else(missing)?, fds.next().ok_or_else(missing)?);
    let names = String::from_utf8_lossy(&names[..length]).into_owned();
    let views = names.lines().map(String::from).zip(fds.by_ref()).collect();
    Ok(Furniture { root, dev, views, binds: fds.collect() })
}

fn set_hostname(name: &str) -> Result<(), StepError> {
    // SAFETY: the name is valid for its length.
    check_int(unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) })
        .step("set", "hostname")
        .map(drop)
}

/// Lets go of everything of launch's: its name, its descriptors, its rights for the children to come.
fn settle(launcher: &Launcher, kept: &[RawFd], link: RawFd) -> Result<(), StepError> {
    creds::set_dumpable(false).step("hide memory", "init")?; // changing ids may have undone it
    creds::set_umask(0o022);
    creds::bound_capabilities(CAPABILITIES).step("bound", "capabilities")?;
    creds::set_no_new_privs().step("set", "no_new_privs")?;
    creds::set_name(c"dsec-init").step("set", "name")?;
    launcher.argv.rename(b"dsec-init");
    signals::ignore(libc::SIGPIPE);
    let most = creds::hard_limit(libc::RLIMIT_NOFILE);
    creds::set_limit(libc::RLIMIT_NOFILE, most, most).step("set", "descriptor limit")?;
    let null = dir::open(dir::HERE, "/dev/null", libc::O_RDWR, 0).step("open", "/dev/null")?;
    for standard in 0..=2 {
        dir::place(null.as_fd(), standard).step("replace", "standard descriptors")?;
    }
    std::mem::forget(null); // closed below with the others, by number
    let mut kept: Vec<RawFd> = kept.iter().copied().chain([link]).collect();
    dir::close_all_but(&mut kept).step("close", "descriptors")
}

fn failure(error: &StepError, timings: Timings) -> LaunchReply {
    LaunchReply {
        step: error.step.to_string(),
        errno: error.errno() as u32,
        message: error.to_string(),
        timings: timings.take(),
        ..LaunchReply::default()
    }
}

fn report(link: &OwnedFd, reply: &LaunchReply) -> bool {
    sockets::send_fds(link.as_fd(), &reply.encode_to_vec(), &[]).is_ok()
}
