// SPDX-License-Identifier: Apache-2.0
//! One turn of the loop: wait, note what happened, reap, obey, serve, do what is due.

use super::Init;
use super::channel::{Channel, Heard};
use super::exec::Phase;
use super::orders::feed;
use super::timers::Timer;
use crate::sys::{event, fork, pipe, sockets, time};
use std::os::fd::AsFd;

pub const LISTENER: u64 = 0;
pub const CHANNEL: u64 = 1;
pub const CHILDREN: u64 = 2;
pub const SHORTAGE: u64 = 3;
const STATUS: u64 = 4;
const STDOUT: u64 = 5;
const STDERR: u64 = 6;
const STDIN: u64 = 7;
const REPORT: u64 = 8;
const KIND_BITS: u32 = 8;

/// Orders obeyed before others get their turn.
const ORDERS_PER_TURN: usize = 64;
/// Milliseconds without an event that count as rest.
const REST_AFTER: i32 = 20;
const SWEEP_DELAY: u64 = 20 * time::MILLISECOND;

/// A source of events that belongs to a slot.
#[derive(Clone, Copy)]
pub enum Source {
    Status,
    Out(usize),
    Stdin,
    Report,
}

pub fn token(source: Source, number: usize) -> u64 {
    let kind = match source {
        Source::Status => STATUS,
        Source::Out(0) => STDOUT,
        Source::Out(_) => STDERR,
        Source::Stdin => STDIN,
        Source::Report => REPORT,
    };
    (number as u64) << KIND_BITS | kind
}

impl Init {
    pub(super) fn turn(&mut self) {
        let busy = !self.queue.is_empty() || self.may_hear();
        let due = if busy { 0 } else { self.timers.wait_ms(time::now()) };
        let resting = self.holds_memory() && !(0..REST_AFTER).contains(&due);
        let timeout = if resting { REST_AFTER } else { due };
        let mut events = [(0, 0); event::BATCH];
        let mut count = 0;
        // The wait fails only when epoll itself is broken; then there is nothing better than another try.
        let _ = self.poller.wait(timeout, |token, what| {
            events[count] = (token, what);
            count += 1;
        });
        if resting && count == 0 {
            self.rest();
        }
        self.now = time::now();
        for (token, what) in &events[..count] {
            self.note(*token, *what);
        }
        self.reap();
        self.hear();
        for _ in 0..self.queue.len() {
            if let Some(slot) = self.queue.pop_front() {
                self.service(slot);
            }
        }
        self.flush();
        while let Some(timer) = self.timers.due(self.now) {
            self.ring(timer);
        }
    }

    /// Whether there is memory that only traffic needs.
    fn holds_memory(&self) -> bool {
        self.spare.is_some() || self.channel.as_ref().is_some_and(|channel| channel.reader.is_wide())
    }

    /// It goes back once nothing happens: in the midst of a transfer its pages would have to be brought anew each time.
    fn rest(&mut self) {
        self.spare = None;
        if let Some(channel) = &mut self.channel {
            channel.reader.shrink();
        }
    }

    fn note(&mut self, token: u64, what: u32) {
        let number = (token >> KIND_BITS) as usize;
        match token & ((1 << KIND_BITS) - 1) {
            LISTENER => self.accept(),
            CHANNEL => self.note_channel(what),
            CHILDREN => {} // reaping follows in every turn
            SHORTAGE => self.note_shortage(),
            STATUS => self.hear_start(number),
            STDOUT => self.note_output(number, 0),
            STDERR => self.note_output(number, 1),
            STDIN => self.note_stdin(number),
            REPORT => self.hear_report(number),
            _ => {}
        }
    }

    fn note_channel(&mut self, what: u32) {
        let Some(channel) = &mut self.channel else { return };
        channel.readable |= what & event::READABLE != 0;
        channel.writable |= what & event::WRITABLE != 0;
    }

    fn note_output(&mut self, slot: usize, stream: usize) {
        if let Some(exec) = self.table.get(slot) {
            exec.out[stream].ready = true;
            self.enqueue(slot);
        }
    }

    fn note_stdin(&mut self, slot: usize) {
        if let Some(stdin) = self.table.get(slot).and_then(|exec| exec.stdin.as_mut()) {
            stdin.ready = true;
            self.enqueue(slot);
        }
    }

    pub(super) fn enqueue(&mut self, slot: usize) {
        if let Some(exec) = self.table.get(slot)
            && !exec.queued
        {
            exec.queued = true;
            self.queue.push_back(slot);
        }
    }

    /// The newest connection wins. Only processes outside of the sandbox count.
    fn accept(&mut self) {
        while let Ok(socket) = sockets::accept(self.post.listener.as_fd()) {
            if !sockets::peer(socket.as_fd()).is_ok_and(|peer| peer.pid == 0) {
                continue;
            }
            self.disconnect();
            let interest = event::READ | event::WRITE;
            if self.poller.watch(socket.as_fd(), CHANNEL, interest).is_ok() {
                self.channel = Some(Channel::new(socket));
            }
        }
    }

    pub(super) fn disconnect(&mut self) {
        self.channel = None;
        self.blocked.clear(); // their flags are reset by the next Welcome
    }

    fn may_hear(&self) -> bool {
        self.channel.as_ref().is_some_and(Channel::may_hear)
    }

    /// Reads and obeys orders, as long as there is room for what they may cause to be said.
    fn hear(&mut self) {
        for _ in 0..ORDERS_PER_TURN {
            if !self.may_hear() {
                return;
            }
            let Some(channel) = &mut self.channel else { return };
            let greeted = channel.greeted;
            let obeyed = match channel.next_order() {
                Ok(Heard::Nothing) => true,
                Ok(Heard::Order(order)) => self.obey(order),
                Ok(Heard::Input(_)) if !greeted => false,
                Ok(Heard::Input(input)) => {
                    let (known, fair) = feed(&mut self.table, &input);
                    known.into_iter().for_each(|slot| self.enqueue(slot));
                    fair
                }
                Err(_) => false,
            };
            if !obeyed {
                self.disconnect(); // gone, or it broke the rules: the execs live on
            }
        }
    }

    fn reap(&mut self) {
        let mut orphans = false;
        let mut drained = [0_u8; 1024];
        let _ = pipe::read(&self.children, &mut drained);
        while let Some((pid, status)) = fork::reap() {
            match self.table.take_pid(pid) {
                Some(slot) => self.finish(slot, status),
                None => orphans = true,
            }
        }
        if orphans {
            self.timers.set_once(self.now + SWEEP_DELAY, Timer::Sweep);
        }
    }

    fn ring(&mut self, timer: Timer) {
        match timer {
            Timer::Timeout(id) => self.time_out(id),
            Timer::Shortage => self.look_for_victims(),
            Timer::Sweep => self.sweep(),
            Timer::Insist(id) => self.insist(id),
            Timer::Typing(id) => {
                if let Some(slot) = self.table.slot_of(id) {
                    self.note_stdin(slot);
                }
            }
        }
    }

    /// Removes the groups of ended execs that have become empty.
    fn sweep(&mut self) {
        let mut left = Vec::new();
        for (slot, exec) in self.table.all() {
            let ended = matches!(exec.phase, Phase::Ended(_));
            if ended && exec.group.as_ref().is_some_and(|group| self.post.groups.remove(group)) {
                exec.group = None;
                left.push(slot);
            }
        }
        left.into_iter().for_each(|slot| self.release(slot));
    }

    pub(super) fn release(&mut self, slot: usize) {
        if self.table.get(slot).is_some_and(|exec| exec.gone()) {
            self.table.remove(slot);
        }
    }

    pub(super) fn flush(&mut self) {
        if let Some(channel) = &mut self.channel
            && channel.flush(&mut self.table).is_err()
        {
            self.disconnect();
        }
        if self.channel.as_ref().is_some_and(Channel::has_room) {
            for slot in std::mem::take(&mut self.blocked) {
                if let Some(exec) = self.table.get(slot) {
                    exec.blocked = false;
                }
                self.enqueue(slot);
            }
        }
    }

    /// Processes in the sandbox, without PID 1.
    pub(super) fn count_processes(&self) -> u32 {
        let Ok(names) = std::fs::read_dir("/proc") else { return 0 };
        let numbers = names.flatten().filter(|name| name.file_name().as_encoded_bytes()[0].is_ascii_digit());
        numbers.count().saturating_sub(1) as u32
    }
}
