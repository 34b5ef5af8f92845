// SPDX-License-Identifier: Apache-2.0
//! The channel: reconnects, credit, and peers that break the rules.

mod support;

use dsec_guest::wire::guest::*;
use std::io::Write;
use support::node::*;
use support::{Lab, possible};

fn receive(node: &mut Node, exec: u64, upto: usize, into: &mut Vec<u8>) -> Option<Ended> {
    while into.len() < upto {
        match node.next().expect("the guest hung up") {
            News::Output(output) if output.exec == exec => {
                assert_eq!(output.offset, into.len() as u64, "a gap or a repeat");
                into.extend_from_slice(&output.data);
            }
            News::Ended(ended) if ended.exec == exec => return Some(ended),
            _ => {}
        }
    }
    None
}

/// F5: a stream is cut at arbitrary places, with acknowledgements missing, and comes out whole.
#[test]
fn a_stream_survives_reconnects() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let id = node.start(&shell("perl -e 'print pack(\"N\", $_) for 0..999999'; printf END"));
    let mut got = Vec::new();
    let mut ended = None;
    for cut in 0.. {
        ended = receive(&mut node, id, (cut + 1) * 150_001, &mut got).or(ended);
        if ended.is_some() {
            break;
        }
        // Told of less than we have: the rest must come again, from exactly there.
        let acked = got.len() as u64 - got.len() as u64 % 1000;
        node.send(Order::Window(Window { exec: id, stream: 0, acked, limit: acked + (1 << 20) }));
        node.send(Order::Ping(Ping { token: 1 }));
        while !matches!(node.next(), Some(News::Pong(_))) {} // it has been heard
        node = sandbox.node();
        let status = node.welcome.execs.iter().find(|status| status.exec == id).unwrap();
        assert!(status.started && status.stdout_acked == acked, "{status:?}");
        got.truncate(acked as usize);
        node.send(Order::Window(Window { exec: id, stream: 0, acked, limit: acked + (1 << 20) }));
    }
    assert_eq!(got.len(), 4_000_003);
    for (number, bytes) in got.chunks_exact(4).take(1_000_000).enumerate() {
        assert_eq!(u32::from_be_bytes(bytes.try_into().unwrap()) as usize, number);
    }
    assert!(got.ends_with(b"END"));
    let mut again = sandbox.node();
    assert!(again.welcome.execs[0].ended);
    let acked = again.welcome.execs[0].stdout_acked;
    let repeated = again.follow_from(id, acked);
    assert_eq!(repeated.ended, ended, "the ending is told until it is forgotten");
    again.forget(id);
    again.ping();
    assert!(sandbox.node().welcome.execs.is_empty());
}

#[test]
fn nothing_is_lost_while_nobody_listens() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let id = node.start(&shell("echo one; sleep 0.2; echo two; exit 5"));
    node.ping();
    drop(node);
    support::eventually("the exec ends unheard", || {
        let node = sandbox.node();
        node.welcome.execs.len() == 1 && node.welcome.execs[0].ended
    });
    let outcome = sandbox.node().follow(id);
    assert_eq!((outcome.text().as_str(), outcome.code()), ("one\ntwo\n", 5));
}

/// F10: a reader that reads nothing slows its own stream only, and costs init 1 MiB.
#[test]
fn credit_is_kept() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let slow = Start { stdout_window: 1000, ..shell("head -c 5000000 /dev/zero; echo finished >&2") };
    let id = node.start(&slow);
    let mut got = Vec::new();
    receive(&mut node, id, 1000, &mut got);
    assert_eq!(node.sh("echo other").text(), "other\n");
    assert_eq!((node.known(id).stdout.len(), node.known(id).stderr.len()), (0, 0), "more than the credit");
    node.known(id).stdout = got;
    node.acknowledge(id, 0, 1000);
    let outcome = node.follow(id);
    assert_eq!((outcome.stdout.len(), outcome.errors().as_str()), (5_000_000, "finished\n"));
}

#[test]
fn the_newest_connection_wins() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut old = sandbox.node();
    let mut new = sandbox.node();
    assert!(old.next().is_none());
    assert_eq!(new.sh("echo new").text(), "new\n");
}

#[test]
fn a_peer_that_breaks_the_rules_is_cut_off_and_execs_live_on() {
    if !possible() {
        return;
    }
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    let mut node = sandbox.node();
    let sentinel = node.start(&command(&["sleep", "600"]));
    node.ping();
    let hello = |node: &mut Node| node.send(Order::Hello(Hello { version: VERSION }));
    let window = |acked| Order::Window(Window { exec: sentinel, stream: 0, acked, limit: 1 << 30 });
    let offences: [&dyn Fn(&mut Node); 8] = [
        &|node| node.stream.write_all(&[0; 64]).unwrap(),
        &|node| node.stream.write_all(&[0xff; 64]).unwrap(),
        &|node| node.stream.write_all(&[0, 0, 0, 3, 0xff, 0xff, 0xff]).unwrap(),
        &|node| node.send(Order::Ping(Ping { token: 1 })),
        &|node| node.send(Order::Hello(Hello { version: 99 })),
        &|node| {
            hello(node);
            hello(node);
        },
        &|node| {
            hello(node);
            node.send(window(10)); // never sent
        },
        &|node| {
            hello(node);
            node.send(Order::Window(Window { exec: sentinel, stream: 7, acked: 0, limit: 0 }));
        },
    ];
    for (number, offence) in offences.iter().enumerate() {
        let mut node = Node::connect_silently(&sandbox.socket);
        offence(&mut node);
        while let Some(news) = node.next() {
            assert!(matches!(news, News::Welcome(_) | News::Started(_)), "offence {number}: {news:?}");
        }
    }
    let mut node = sandbox.node();
    assert_eq!(node.ping(), 1, "the sentinel lives");
    node.send(Order::Start(Start { exec: sentinel, ..command(&["echo", "twice"]) }));
    assert_eq!(node.sh("echo fine").text(), "fine\n");
    assert_eq!(node.ping(), 1, "a repeated Start starts nothing");
}

/// A seeded fuzz of the whole channel: init answers or hangs up, and lives.
#[test]
fn garbage_does_not_hurt_init() {
    if !possible() {
        return;
    }
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed);
    eprintln!("replay with FUZZ_SEED={seed}");
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let lab = Lab::open();
    let sandbox = lab.sandbox();
    for _ in 0..300 {
        let mut node = Node::connect_silently(&sandbox.socket);
        let mut bytes = vec![0, 0, 0, 4, 0x0a, 0x02, 0x08, 0x01]; // Hello
        for _ in 0..random() % 4 {
            let length = 1 + random() % 40;
            bytes.extend_from_slice(&(length as u32).to_be_bytes());
            let tag = [0x12, 0x1a, 0x22, 0x2a, 0x32, 0x3a, 0x42, 0x4a][random() as usize % 8];
            bytes.extend_from_slice(&[tag, (length.saturating_sub(2)) as u8]);
            bytes.extend((2..length).map(|_| random() as u8 & if random() % 2 == 0 { 0xff } else { 0x1f }));
        }
        let _ = node.stream.write_all(&bytes);
        drop(node);
        assert!(sandbox.alive(), "FUZZ_SEED={seed}");
    }
    assert_eq!(sandbox.node().sh("echo alive").text(), "alive\n", "FUZZ_SEED={seed}");
}
