// SPDX-License-Identifier: Apache-2.0
//! One create, on the parent's side. While the child makes its network namespace (the dearest one), this side
//! maps ids and makes the mounts, which needs the host's rights; then the child takes them and moves in.

use super::groups::{self, Prepared};
use super::timings::Timings;
use super::{Launcher, inside, rootfs, view};
use crate::error::{Step, StepError};
use crate::sys::fork::{self, Forked};
use crate::sys::{dir, event, sockets};
use crate::wire::launch::{LaunchReply, LaunchRequest};
use prost::Message;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

const NAMESPACES: i32 =
    libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
const CHILD_TIMEOUT_MS: i32 = 10_000;
const DEATH_TIMEOUT_MS: i32 = 2_000;
const MAX_LOWERS: usize = 200;
/// Root, /dev and the views of cgroups travel in the same message.
const MAX_BINDS: usize = 200;
const MAX_JOINS: usize = 16;
const LOWEST_ID: u32 = 65_536;

pub fn create(launcher: &Launcher, request: &LaunchRequest) -> LaunchReply {
    let mut timings = Timings::start();
    match attempt(launcher, request, &mut timings) {
        Ok(child) => {
            let mut timings = timings.take();
            timings.extend(child.timings);
            LaunchReply { timings, ..child }
        }
        Err(failed) => LaunchReply {
            step: failed.step.to_string(),
            errno: failed.errno() as u32,
            message: failed.to_string(),
            timings: timings.take(),
            ..LaunchReply::default()
        },
    }
}

fn attempt(
    launcher: &Launcher,
    request: &LaunchRequest,
    timings: &mut Timings,
) -> Result<LaunchReply, StepError> {
    validate(request)?;
    let prepared = groups::prepare(request)?;
    let socket = Path::new(&request.socket);
    let listener = sockets::listen(socket).step("listen", &request.socket)?;
    let outcome = populate(launcher, request, listener, prepared, timings);
    if !matches!(&outcome, Ok(reply) if reply.ok) {
        let _ = std::fs::remove_file(socket);
    }
    outcome
}

fn validate(request: &LaunchRequest) -> Result<(), StepError> {
    let refuse = |what: &str| Err(StepError::new("check request", what, libc::EINVAL));
    if request.sandbox.is_empty() {
        return refuse("sandbox is empty");
    }
    if request.id_base < LOWEST_ID || request.id_count == 0 {
        return refuse("id_base must be 65536 or more, id_count positive");
    }
    if request.id_base.checked_add(request.id_count).is_none() {
        return refuse("id range passes the end of ids");
    }
    if request.lowers.is_empty()
        || request.lowers.len() > MAX_LOWERS
        || request.binds.len() > MAX_BINDS
        || request.join.len() > MAX_JOINS
    {
        return refuse("1 to 200 lowers and at most 200 binds, 16 groups to join");
    }
    if request.hostname.is_empty() || request.hostname.len() > 64 {
        return refuse("hostname must have 1 to 64 bytes");
    }
    let relative = |path: &String| !path.starts_with('/');
    let singles = [&request.socket, &request.v2_group, &request.upper, &request.work, &request.dev];
    if singles.into_iter().any(relative) || request.lowers.iter().any(relative) {
        return refuse("paths must be absolute");
    }
    if request.binds.iter().any(|bind| relative(&bind.source) || relative(&bind.target)) {
        return refuse("paths of binds must be absolute");
    }
    Ok(())
}

fn populate(
    launcher: &Launcher,
    request: &LaunchRequest,
    listener: OwnedFd,
    prepared: Prepared,
    timings: &mut Timings,
) -> Result<LaunchReply, StepError> {
    let (ours, theirs) = sockets::pair().step("make", "socket pair")?;
    timings.mark("prepare");
    // SAFETY: launch has one thread; the child goes into `inside::run`, which never returns.
    let forked = unsafe { launcher.stage.fork(NAMESPACES as u64, prepared.init.as_fd()) };
    let (pid, pidfd) = match forked.step("clone", &request.v2_group)? {
        Forked::Child => {
            drop(ours);
            inside::run(launcher, request, theirs, listener, prepared)
        }
        Forked::Parent { pid, pidfd } => (pid, pidfd),
    };
    drop(theirs);
    timings.mark("clone");
    let result = start_ticks(pid).and_then(|start_ticks| {
        let child = supply(request, pid, &ours, timings)?;
        Ok(LaunchReply { pid: if child.ok { pid as u32 } else { 0 }, start_ticks, ..child })
    });
    if !matches!(&result, Ok(reply) if reply.ok) {
        put_down(pidfd.as_fd());
    }
    result
}

/// Maps the child's ids, sends it its mounts and waits for its word.
fn supply(
    request: &LaunchRequest,
    pid: i32,
    link: &OwnedFd,
    timings: &mut Timings,
) -> Result<LaunchReply, StepError> {
    let map = format!("0 {} {}", request.id_base, request.id_count);
    for kind in ["uid_map", "gid_map"] {
        let path = format!("/proc/{pid}/{kind}");
        dir::write_file(dir::HERE, &path, map.as_bytes()).step("map", path)?;
    }
    let namespace = dir::open(dir::HERE, format!("/proc/{pid}/ns/user"), libc::O_RDONLY, 0)
        .step("open", "user namespace")?;
    timings.mark("map");
    let root = rootfs::overlay(request, namespace.as_fd())?;
    timings.mark("overlay");
    let dev = rootfs::devices(&request.dev, namespace.as_fd())?;
    let views = view::open(request)?;
    let names = views.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("\n");
    let mut mounts = vec![root, dev];
    mounts.extend(views.into_iter().map(|(_, tree)| tree));
    for bind in &request.binds {
        mounts.push(rootfs::bind(bind, namespace.as_fd())?);
    }
    let borrowed: Vec<BorrowedFd> = mounts.iter().map(AsFd::as_fd).collect();
    sockets::send_fds(link.as_fd(), format!("{names}\n").as_bytes(), &borrowed).step("send", "mounts")?;
    drop(mounts);
    timings.mark("binds");
    let reply = await_child(link)?;
    timings.mark("child");
    Ok(reply)
}

fn await_child(link: &OwnedFd) -> Result<LaunchReply, StepError> {
    if !event::wait_readable(link.as_fd(), CHILD_TIMEOUT_MS).step("wait", "init")? {
        return Err(StepError::new("wait", "init", libc::ETIMEDOUT));
    }
    let mut message = vec![0_u8; 16 * 1024];
    let (length, _) = sockets::receive_fds(link.as_fd(), &mut message).step("hear", "init")?;
    if length == 0 {
        return Err(StepError::new("hear", "init: it died while moving in", libc::ECHILD));
    }
    LaunchReply::decode(&message[..length])
        .map_err(|error| StepError::new("hear", format!("init: {error}"), libc::EBADMSG))
}

fn put_down(child: BorrowedFd) {
    let _ = fork::pidfd_signal(child, libc::SIGKILL);
    let _ = event::wait_readable(child, DEATH_TIMEOUT_MS);
}

/// Field 22 of `/proc/PID/stat`: `4711 (name with ) in it) S 1 …`.
fn start_ticks(pid: i32) -> Result<u64, StepError> {
    let path = format!("/proc/{pid}/stat");
    let stat = dir::read_file(dir::HERE, &path, 4096).step("read", &path)?;
    let stat = String::from_utf8_lossy(&stat);
    let after_name = stat.rsplit_once(") ").map(|(_, rest)| rest);
    after_name
        .and_then(|rest| rest.split_ascii_whitespace().nth(22 - 3))
        .and_then(|field| field.parse().ok())
        .ok_or_else(|| StepError::new("read", path, libc::EINVAL))
}
