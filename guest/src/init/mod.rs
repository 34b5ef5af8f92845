// SPDX-License-Identifier: Apache-2.0
//! PID 1 of a sandbox: runs execs for the node over one connection, reaps, and never dies of what they do.
//!
//! One loop, edge-triggered, never blocking. Each exec is a *slot*; whatever happens to a slot puts it into a queue,
//! and `service` moves it forward as far as pipe, socket and credit allow. What takes long or may block (looking up
//! users, files, execve) happens in forked children.

mod channel;
mod child;
mod disk;
mod exec;
pub mod groups;
pub mod identity;
mod orders;
mod program;
pub mod refusal;
mod service;
mod session;
mod shortage;
mod start;
mod stdin;
mod stream;
mod table;
mod timers;
mod turn;
mod wires;

use crate::error::{Step, StepError};
use crate::seccomp::Filter;
use crate::sys::event::{self, Poller};
use crate::sys::region::Region;
use crate::sys::{signals, time};
use channel::Channel;
use groups::{Groups, OomSource};
use shortage::Shortage;
use std::collections::VecDeque;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use table::Table;
use timers::Timers;

/// What launch leaves to init.
pub struct Post {
    pub sandbox: String,
    pub listener: OwnedFd,
    pub groups: Groups,
    pub null: OwnedFd,
    pub nofile: u64,
    pub filter: Filter,
}

impl Post {
    /// All that must stay open.
    pub fn descriptors(&self) -> Vec<RawFd> {
        let mut all = self.groups.descriptors();
        all.extend([self.listener.as_raw_fd(), self.null.as_raw_fd()]);
        all
    }
}

pub struct Init {
    post: Post,
    poller: Poller,
    children: OwnedFd,
    channel: Option<Channel>,
    table: Table,
    timers: Timers,
    shortage: Shortage,
    /// Slots with something to do.
    queue: VecDeque<usize>,
    /// Slots that wait for room in the socket.
    blocked: Vec<usize>,
    /// One ring kept for the next stream while there is traffic.
    spare: Option<Region>,
    /// Since when the sandbox's processes are frozen.
    held: Option<u64>,
    now: u64,
}

impl Init {
    pub fn new(post: Post) -> Result<Init, StepError> {
        let poller = Poller::new().step("make", "epoll")?;
        let children = signals::watch(&[libc::SIGCHLD]).step("watch", "children")?;
        poller.watch(post.listener.as_fd(), turn::LISTENER, event::READ).step("watch", "listener")?;
        poller.watch(children.as_fd(), turn::CHILDREN, event::READ).step("watch", "children")?;
        match &post.groups.oom {
            Some(OomSource::Notification(fd)) => {
                poller.watch(fd.as_fd(), turn::SHORTAGE, event::READ).step("watch", "memory")?;
            }
            Some(OomSource::Events(fd)) => {
                // Absent on kernels without it; endings still look at the counters.
                let _ = poller.watch(fd.as_fd(), turn::SHORTAGE, event::PRIORITY);
            }
            None => {}
        }
        Ok(Init {
            post,
            poller,
            children,
            channel: None,
            table: Table::default(),
            timers: Timers::default(),
            shortage: Shortage::default(),
            queue: VecDeque::new(),
            blocked: Vec::new(),
            spare: None,
            held: None,
            now: time::now(),
        })
    }

    pub fn run(mut self) -> ! {
        loop {
            self.turn();
        }
    }
}
