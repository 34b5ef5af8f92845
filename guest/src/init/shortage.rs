// SPDX-License-Identifier: Apache-2.0
//! Memory shortages of the sandbox: any process that the kernel kills for memory ends its whole exec.
//!
//! The notification comes before the victim is chosen and counted, so the counters are looked at repeatedly for a
//! while. The ending of an exec looks at its counter as well; it is raised before the victim gets its signal.

use super::Init;
use super::exec::Cause;
use super::groups::{self, OomSource};
use super::timers::Timer;
use crate::sys::time::{MILLISECOND, SECOND};

const FIRST_LOOK: u64 = MILLISECOND;
const WATCH_FOR: u64 = 2 * SECOND;

#[derive(Default)]
pub struct Shortage {
    until: u64,
    pause: u64,
}

impl Init {
    pub(super) fn note_shortage(&mut self) {
        if let Some(OomSource::Notification(event)) = &self.post.groups.oom {
            groups::quiet(event);
        }
        self.shortage = Shortage { until: self.now + WATCH_FOR, pause: FIRST_LOOK };
        self.timers.set_once(self.now + FIRST_LOOK, Timer::Shortage);
    }

    pub(super) fn look_for_victims(&mut self) {
        let victims: Vec<u64> = self.table.all().filter_map(|(_, exec)| exec.starved()).collect();
        for slot in victims.into_iter().filter_map(|id| self.table.slot_of(id)).collect::<Vec<_>>() {
            if let Some(exec) = self.table.get(slot)
                && exec.cause != Cause::Oom
            {
                exec.cause = Cause::Oom;
                self.kill(slot, Cause::Oom);
            }
        }
        let next = self.now + self.shortage.pause;
        self.shortage.pause *= 2;
        if next < self.shortage.until {
            self.timers.set_once(next, Timer::Shortage);
        }
    }
}
