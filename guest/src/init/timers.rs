// SPDX-License-Identifier: Apache-2.0
//! What is due when, on the monotonic clock.

use crate::sys::time::MILLISECOND;
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// The exec (by id) has used up its time.
    Timeout(u64),
    /// Look for victims of a memory shortage.
    Shortage,
    /// Try again to remove groups that were in use.
    Sweep,
    /// The terminal of an exec (by id) may take more.
    Typing(u64),
    /// The shell of a killed run (by id) has not come back.
    Insist(u64),
}

#[derive(Default)]
pub struct Timers(BTreeSet<(u64, Timer)>);

impl Timers {
    pub fn set(&mut self, at: u64, timer: Timer) {
        self.0.insert((at, timer));
    }

    /// Unless it is set already.
    pub fn set_once(&mut self, at: u64, timer: Timer) {
        if !self.0.iter().any(|(_, set)| *set == timer) {
            self.set(at, timer);
        }
    }

    pub fn cancel(&mut self, timer: Timer) {
        self.0.retain(|(_, set)| *set != timer);
    }

    /// The next timer that is due.
    pub fn due(&mut self, now: u64) -> Option<Timer> {
        match self.0.first() {
            Some((at, _)) if *at <= now => self.0.pop_first().map(|(_, timer)| timer),
            _ => None,
        }
    }

    /// Milliseconds until the first one, rounded up; -1 when there is none.
    pub fn wait_ms(&self, now: u64) -> i32 {
        match self.0.first() {
            None => -1,
            Some((at, _)) => at.saturating_sub(now).div_ceil(MILLISECOND).min(3_600_000) as i32,
        }
    }
}
