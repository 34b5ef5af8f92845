// SPDX-License-Identifier: Apache-2.0
//! How long each step of a create took.

use crate::sys::time;
use crate::wire::launch::Timing;

pub struct Timings {
    last: u64,
    steps: Vec<Timing>,
}

impl Timings {
    pub fn start() -> Timings {
        Timings { last: time::now(), steps: Vec::new() }
    }

    /// The step that ends now.
    pub fn mark(&mut self, step: &str) {
        let now = time::now();
        self.steps.push(Timing { step: step.to_string(), micros: (now - self.last) / 1000 });
        self.last = now;
    }

    pub fn take(self) -> Vec<Timing> {
        self.steps
    }
}
