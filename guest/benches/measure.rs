// SPDX-License-Identifier: Apache-2.0
//! Figures: create, exec round trip, stdout throughput, memory of an idle init. `cargo bench`.

#[path = "../tests/support/mod.rs"]
mod support;

use dsec_guest::wire::guest::*;
use prost::Message;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::time::{Duration, Instant};
use support::node::*;
use support::{Lab, Sandbox, possible};

const CREATES: usize = 200;
const EXECS: usize = 500;
const STREAM_BYTES: u64 = 1 << 30;

fn main() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    if std::env::var_os("ONLY_STREAM").is_none() {
        creates(&lab);
    }
    let sandbox = lab.sandbox();
    execs(&sandbox);
    throughput(&sandbox);
    memory(&lab);
}

fn show(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!("{what:<28} median {:.3} ms  p10 {:.3}  p90 {:.3}  p99 {:.3}", at(50), at(10), at(90), at(99));
}

fn creates(lab: &Lab) {
    let mut steps: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    let mut totals = Vec::new();
    for _ in 0..CREATES {
        let sandbox = lab.sandbox();
        totals.push(sandbox.reply_time);
        for timing in &sandbox.reply.timings {
            steps.entry(timing.step.clone()).or_default().push(Duration::from_micros(timing.micros));
        }
        sandbox.destroy();
    }
    show("create, request to reply", totals);
    steps.into_iter().for_each(|(step, times)| show(&format!("  {step}"), times));
}

fn execs(sandbox: &Sandbox) {
    let mut node = sandbox.node();
    let mut round = |start: Start| {
        let begun = Instant::now();
        assert_eq!(node.exec(start).code(), 0);
        begun.elapsed()
    };
    show("exec true (dash's own)", (0..EXECS).map(|_| round(command(&["/bin/true"]))).collect());
    show(
        "exec true as agent",
        (0..EXECS).map(|_| round(as_user("agent", command(&["/bin/true"])))).collect(),
    );
}

fn throughput(sandbox: &Sandbox) {
    let mut node = sandbox.node();
    let start =
        Start { stdout_window: 4 << 20, ..command(&["head", "-c", &STREAM_BYTES.to_string(), "/dev/zero"]) };
    let begun = Instant::now();
    let id = node.start(&start);
    let (mut buffer, mut held, mut got, mut ended) = (vec![0_u8; 2 << 20], 0, 0, false);
    let mut frames = 0_u64;
    while !ended {
        held += node.stream.read(&mut buffer[held..]).unwrap();
        let mut at = 0;
        while let Some(length) =
            buffer[at..held].first_chunk::<4>().map(|head| u32::from_be_bytes(*head) as usize)
        {
            if at + 4 + length > held {
                break;
            }
            match FromGuest::decode(&buffer[at + 4..at + 4 + length]).unwrap().body {
                Some(News::Output(output)) => {
                    got += output.data.len() as u64;
                    frames += 1;
                }
                Some(News::Ended(ending)) => ended |= ending.exec == id,
                _ => {}
            }
            at += 4 + length;
        }
        buffer.copy_within(at..held, 0);
        held -= at;
        node.send(Order::Window(Window { exec: id, stream: 0, acked: got, limit: got + (4 << 20) }));
    }
    assert_eq!(got, STREAM_BYTES);
    let rate = got as f64 / begun.elapsed().as_secs_f64() / 1e6;
    println!("stdout {rate:.0} MB/s, {} KiB per frame", got / frames / 1024);
    node.forget(id);
    node.ping();
}

/// Private memory and page tables of an init that has run execs and rests.
fn memory(lab: &Lab) {
    let rested = lab.sandbox();
    let fresh = lab.sandbox();
    let mut node = rested.node();
    for _ in 0..20 {
        node.exec(shell("head -c 3000000 /dev/zero"));
    }
    node.ping();
    for (what, pid) in [("fresh", fresh.pid), ("after 20 execs of 3 MB", rested.pid)] {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let number = |text: &str, key: &str| -> u64 {
            let line = text.lines().find(|line| line.starts_with(key)).unwrap_or(key);
            line.split_ascii_whitespace().nth(1).and_then(|field| field.parse().ok()).unwrap_or(0)
        };
        let private = number(&rollup, "Private_Dirty:") + number(&rollup, "Private_Clean:");
        println!(
            "idle init, {what}: private {private} KiB + page tables {} KiB; RSS {} KiB, PSS {} KiB",
            number(&status, "VmPTE:"),
            number(&rollup, "Rss:"),
            number(&rollup, "Pss:"),
        );
    }
}
