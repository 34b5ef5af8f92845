// SPDX-License-Identifier: Apache-2.0
//! Moves one exec forward: reads its pipes, feeds its stdin, tells the node what is new.

use super::Init;
use super::channel::Channel;
use super::exec::{Exec, Phase};
use super::stdin::Stdin;
use super::stream::OutStream;
use super::table::Table;
use super::timers::Timer;
use crate::sys::time::MILLISECOND;
use crate::wire::guest::{Ended, Late, News, Started, StdinWindow};
use std::io;
use std::os::fd::AsFd;

/// Reads of one stream before others get their turn.
const READS_PER_TURN: usize = 4;
/// The kernel tells that a terminal has room while its buffers are still on the move, so it is tried again.
const TYPE_AGAIN: u64 = 20 * MILLISECOND;

impl Init {
    pub(super) fn service(&mut self, slot: usize) {
        let Some(exec) = self.table.get(slot) else { return };
        exec.queued = false;
        for stream in &mut exec.out {
            for _ in 0..READS_PER_TURN {
                if !stream.can_read() {
                    break;
                }
                stream.fill(&mut self.spare, self.post.null.as_fd());
            }
        }
        if let Some(stdin) = &mut exec.stdin {
            stdin.pump();
            if stdin.terminal_full() {
                self.timers.set_once(self.now + TYPE_AGAIN, Timer::Typing(exec.id));
            }
        }
        if exec.forgotten {
            if exec.out.iter().any(OutStream::can_read) {
                self.enqueue(slot);
            }
            self.release(slot);
            return;
        }
        self.speak_of(slot);
        let Some(exec) = self.table.get(slot) else { return };
        if exec.out.iter().any(OutStream::can_read) {
            self.enqueue(slot);
        }
    }

    fn speak_of(&mut self, slot: usize) {
        let Some(channel) = self.channel.as_mut().filter(|channel| channel.greeted) else { return };
        match report(channel, &mut self.table, slot) {
            Ok(true) => {}
            Ok(false) => self.block(slot),
            Err(_) => self.disconnect(),
        }
    }

    fn block(&mut self, slot: usize) {
        if let Some(exec) = self.table.get(slot)
            && !exec.blocked
        {
            exec.blocked = true;
            self.blocked.push(slot);
        }
    }
}

/// Ok(false): there is more to say than the socket takes now.
fn report(channel: &mut Channel, table: &mut Table, slot: usize) -> io::Result<bool> {
    if !channel.has_room() {
        return Ok(false);
    }
    let Some(exec) = table.get(slot) else { return Ok(true) };
    announce(channel, exec);
    for stream in 0..2 {
        while table.get(slot).is_some_and(|exec| exec.out[stream].sendable() > 0) {
            if !channel.has_room() {
                return Ok(false);
            }
            channel.send_output(table, slot, stream)?;
        }
    }
    if !channel.has_room() {
        return Ok(false);
    }
    if let Some(exec) = table.get(slot) {
        conclude(channel, exec);
    }
    Ok(true)
}

fn announce(channel: &mut Channel, exec: &mut Exec) {
    if exec.runs && !exec.started_sent {
        exec.started_sent = true;
        channel.say(News::Started(Started { exec: exec.id, pid: exec.pid as u32 }));
    }
    if exec.runs
        && let Some((limit, closed)) = exec.stdin.as_mut().and_then(Stdin::news)
    {
        channel.say(News::StdinWindow(StdinWindow { exec: exec.id, limit, closed }));
    }
}

fn conclude(channel: &mut Channel, exec: &mut Exec) {
    let Phase::Ended(ended) = &exec.phase else { return };
    if !exec.ended_sent && exec.out.iter().all(OutStream::delivered) {
        exec.late |= !exec.out.iter().all(OutStream::exhausted);
        let [stdout_bytes, stderr_bytes] = [exec.out[0].settled(), exec.out[1].settled()];
        channel.say(News::Ended(Ended { open: exec.late, stdout_bytes, stderr_bytes, ..(**ended).clone() }));
        exec.ended_sent = true;
    }
    if exec.ended_sent && exec.late && !exec.late_sent && exec.out.iter().all(OutStream::exhausted) {
        exec.late_sent = true;
        let [stdout, stderr] = &exec.out;
        let (stdout_bytes, stderr_bytes) = (stdout.read, stderr.read);
        channel.say(News::Late(Late { exec: exec.id, stdout_bytes, stderr_bytes }));
    }
}
