// SPDX-License-Identifier: Apache-2.0
//! The execs: by slot (small numbers, for events), by the node's id, by pid.

use super::exec::{Exec, Phase};
use std::collections::BTreeMap;

/// Programs of the user and applets together.
pub const MAX_RUNNING: usize = 512;
/// Ended and not yet forgotten.
pub const MAX_ENDED: usize = 4096;

#[derive(Default)]
pub struct Table {
    slots: Vec<Option<Box<Exec>>>,
    free: Vec<usize>,
    by_id: BTreeMap<u64, usize>,
    by_pid: BTreeMap<i32, usize>,
}

impl Table {
    pub fn get(&mut self, slot: usize) -> Option<&mut Exec> {
        self.slots.get_mut(slot)?.as_deref_mut()
    }

    pub fn slot_of(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// The next `insert` will use it.
    pub fn next_slot(&self) -> usize {
        self.free.last().copied().unwrap_or(self.slots.len())
    }

    pub fn insert(&mut self, exec: Exec) -> usize {
        let slot = self.next_slot();
        self.by_id.insert(exec.id, slot);
        if exec.pid > 0 {
            self.by_pid.insert(exec.pid, slot);
        }
        match self.free.pop() {
            Some(_) => self.slots[slot] = Some(Box::new(exec)),
            None => self.slots.push(Some(Box::new(exec))),
        }
        slot
    }

    /// Takes the pid out: it has been reaped and may come back as somebody else.
    pub fn take_pid(&mut self, pid: i32) -> Option<usize> {
        self.by_pid.remove(&pid)
    }

    /// The node no longer knows the id.
    pub fn forget_id(&mut self, id: u64) {
        self.by_id.remove(&id);
    }

    pub fn remove(&mut self, slot: usize) {
        if let Some(exec) = self.slots.get_mut(slot).and_then(Option::take) {
            self.free.push(slot);
            if self.by_id.get(&exec.id) == Some(&slot) {
                self.by_id.remove(&exec.id);
            }
        }
        if self.free.len() == self.slots.len() {
            *self = Table::default(); // gives the memory back
        }
    }

    pub fn all(&mut self) -> impl Iterator<Item = (usize, &mut Exec)> {
        self.slots.iter_mut().enumerate().filter_map(|(slot, exec)| Some((slot, exec.as_deref_mut()?)))
    }

    /// (running, ended and not forgotten)
    pub fn counts(&self) -> (usize, usize) {
        let mut counts = (0, 0);
        for exec in self.slots.iter().flatten() {
            match exec.phase {
                Phase::Ended(_) if exec.forgotten => {}
                Phase::Ended(_) => counts.1 += 1,
                _ => counts.0 += 1,
            }
        }
        counts
    }
}
