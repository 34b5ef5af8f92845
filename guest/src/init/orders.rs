// SPDX-License-Identifier: Apache-2.0
//! What the node orders.

use super::Init;
use super::exec::Cause;
use super::program;
use super::session::Part;
use super::table::Table;
use crate::sys::{fork, pty};
use crate::wire::guest::{self, MAX_DATA, News, Order, Pong, Target, VERSION, Welcome, Why};
use crate::wire::input::Input;

const LAST_SIGNAL: u32 = 64;

impl Init {
    /// False: the node broke the rules, and the connection is not worth keeping.
    pub(super) fn obey(&mut self, order: Order) -> bool {
        let greeted = self.channel.as_ref().is_some_and(|channel| channel.greeted);
        match order {
            Order::Hello(hello) => return !greeted && hello.version == VERSION && self.welcome(),
            _ if !greeted => return false,
            Order::Start(start) => self.start(start),
            Order::Stdin(stdin) => return self.take_stdin(&Input::from(&stdin)),
            Order::Window(window) => return self.widen(&window),
            Order::Signal(signal) => self.signal(&signal),
            Order::Forget(forget) => self.forget(forget.exec),
            Order::Ping(ping) => {
                let processes = self.count_processes();
                self.say(News::Pong(Pong { token: ping.token, processes }));
            }
            Order::Hold(hold) => self.hold(hold.on),
            Order::Resize(order) => self.resize(&order),
        }
        true
    }

    pub(super) fn say(&mut self, news: News) {
        if let Some(channel) = &mut self.channel {
            channel.say(news);
        }
    }

    fn welcome(&mut self) -> bool {
        let mut execs = Vec::new();
        let mut slots = Vec::new();
        for (slot, exec) in self.table.all() {
            if !exec.forgotten {
                execs.push(exec.status());
                exec.rewind();
                slots.push(slot);
            }
        }
        self.say(News::Welcome(Welcome { version: VERSION, sandbox: self.post.sandbox.clone(), execs }));
        if let Some(channel) = &mut self.channel {
            channel.greeted = true;
        }
        slots.into_iter().for_each(|slot| self.enqueue(slot));
        true
    }

    fn take_stdin(&mut self, input: &Input) -> bool {
        let (known, fair) = feed(&mut self.table, input);
        known.into_iter().for_each(|slot| self.enqueue(slot));
        fair
    }

    fn widen(&mut self, order: &guest::Window) -> bool {
        let Some(slot) = self.table.slot_of(order.exec) else { return true };
        let Some(exec) = self.table.get(slot) else { return true };
        let Some(stream) = exec.out.get_mut(order.stream as usize) else { return false };
        let fair = stream.acknowledge(order.acked, order.limit, &mut self.spare);
        self.enqueue(slot);
        fair
    }

    fn signal(&mut self, order: &guest::Signal) {
        let Some(slot) = self.table.slot_of(order.exec) else { return };
        let Some(exec) = self.table.get(slot) else { return };
        if order.signal == 0 || order.signal > LAST_SIGNAL {
            return;
        }
        let signal = order.signal as i32;
        // Once reaped, its pid and process group may be somebody else's.
        let alive = exec.ended().is_none();
        if alive && exec.cause == Cause::Itself {
            exec.cause = match order.why() {
                Why::User => Cause::Itself,
                Why::Timeout => Cause::Timeout,
                Why::Reclaim => Cause::Reclaim,
            };
        }
        match order.target() {
            Target::Process | Target::Group if alive && matches!(exec.part, Part::Run(_)) => {
                self.signal_run(slot, signal);
            }
            Target::Process if alive => _ = fork::kill(exec.pid, signal),
            Target::Group if alive => {
                let foreground = exec.out[0].master().and_then(pty::foreground);
                let _ = fork::kill(-foreground.unwrap_or(exec.pid), signal);
            }
            Target::All if signal == libc::SIGKILL => {
                let cause = exec.cause;
                self.kill(slot, cause);
            }
            Target::All => {
                if let Some(group) = &exec.group {
                    group.signal(signal);
                }
            }
            _ => {}
        }
    }

    fn resize(&mut self, order: &guest::Resize) {
        let size = order.size.unwrap_or_default();
        let Some(exec) = self.table.slot_of(order.exec).and_then(|slot| self.table.get(slot)) else { return };
        if let (Some(master), Some((columns, rows))) = (exec.out[0].master(), program::dimensions(&size)) {
            let _ = pty::resize(master, columns, rows);
        }
    }

    /// Only an ending can be recorded, so only an ended exec is forgotten.
    fn forget(&mut self, id: u64) {
        let Some(slot) = self.table.slot_of(id) else { return };
        if self.table.get(slot).is_none_or(|exec| exec.ended().is_none()) {
            return;
        }
        if let Some(channel) = &mut self.channel {
            channel.rescue(&mut self.table, slot);
        }
        let Some(exec) = self.table.get(slot) else { return };
        exec.forgotten = true;
        exec.stdin = None;
        for stream in &mut exec.out {
            stream.discard(&mut self.spare);
        }
        self.table.forget_id(id);
        self.enqueue(slot);
    }
}

/// The exec that the input is for, if there is one; false when the node broke the rules.
pub(super) fn feed(table: &mut Table, input: &Input) -> (Option<usize>, bool) {
    let Some(slot) = table.slot_of(input.exec) else { return (None, true) };
    let Some(stdin) = table.get(slot).and_then(|exec| exec.stdin.as_mut()) else { return (None, true) };
    let fair = input.data.len() <= MAX_DATA && stdin.receive(input.offset, input.data, input.close);
    (Some(slot), fair)
}
