// SPDX-License-Identifier: Apache-2.0
//! Execs: output, endings, limits.

mod support;

use dsec_guest::wire::guest::*;
use support::node::*;
use support::{Lab, possible};

#[test]
fn an_exec_says_what_it_says_and_ends_as_it_ends() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    for timing in &sandbox.reply.timings {
        eprintln!("{:>24} {:>6} µs", timing.step, timing.micros);
    }
    let mut node = sandbox.node();
    assert_eq!(node.welcome.sandbox, sandbox.name);
    let outcome = node.exec(command(&["echo", "hello"]));
    assert_eq!((outcome.text().as_str(), outcome.code()), ("hello\n", 0));
    assert!(outcome.started.unwrap().pid > 1);
}
