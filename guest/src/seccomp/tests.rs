// SPDX-License-Identifier: Apache-2.0
//! Runs the compiled filter in a small BPF machine.

use super::program::{
    AND, ARCH_X86_64, Instruction, JUMP, JUMP_EQUAL, JUMP_GREATER_EQUAL, LOAD, RETURN, Simple, Verdict,
};
use super::{Filter, policy, program};

const I386: u32 = 0x4000_0003;

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Allowed,
    Errno(i32),
}
use Outcome::{Allowed, Errno};

fn run(program: &[Instruction], arch: u32, number: u32, arguments: &[u64]) -> Outcome {
    let word = |offset: u32| match offset {
        0 => number,
        4 => arch,
        offset => arguments.get((offset as usize - 16) / 8).copied().unwrap_or(0) as u32,
    };
    let (mut at, mut accumulator) = (0, 0);
    loop {
        let step = program[at];
        at += 1;
        match step.code {
            LOAD => accumulator = word(step.value),
            AND => accumulator &= step.value,
            JUMP => at += step.value as usize,
            JUMP_EQUAL if accumulator == step.value => at += usize::from(step.jump_true),
            JUMP_EQUAL => at += usize::from(step.jump_false),
            JUMP_GREATER_EQUAL if accumulator >= step.value => at += usize::from(step.jump_true),
            JUMP_GREATER_EQUAL => at += usize::from(step.jump_false),
            RETURN if step.value == 0x7fff_0000 => return Allowed,
            RETURN => return Errno((step.value & 0xffff) as i32),
            code => panic!("unknown instruction {code:#x}"),
        }
    }
}

fn call(number: libc::c_long, arguments: &[u64]) -> Outcome {
    run(&Filter::build().0, ARCH_X86_64, number as u32, arguments)
}

#[test]
fn every_number_gets_the_verdict_of_its_rule() {
    let rules = policy::rules();
    let program = program::compile(&rules);
    assert!(program.len() < 4096, "{} instructions", program.len());
    for number in 0..1000 {
        let expected = match rules.iter().find(|(ruled, _)| *ruled == number) {
            None => Errno(libc::ENOSYS),
            Some((_, Verdict::Allow)) => Allowed,
            Some((_, Verdict::Refuse(errno))) => Errno(*errno),
            Some((_, Verdict::Ask { .. })) => continue,
        };
        assert_eq!(run(&program, ARCH_X86_64, number, &[]), expected, "call {number}");
    }
}

#[test]
fn no_call_is_ruled_twice() {
    let rules = policy::rules();
    assert!(rules.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn other_architectures_do_not_exist() {
    let program = Filter::build().0;
    assert_eq!(run(&program, I386, 4, &[]), Errno(libc::ENOSYS));
    assert_eq!(run(&program, ARCH_X86_64, 0x4000_0001, &[]), Errno(libc::ENOSYS));
}

#[test]
fn clone_makes_threads_and_children_but_no_namespaces() {
    assert_eq!(call(libc::SYS_clone, &[libc::SIGCHLD as u64]), Allowed);
    assert_eq!(call(libc::SYS_clone, &[0x003d_0f00]), Allowed);
    assert_eq!(call(libc::SYS_clone, &[libc::CLONE_NEWUSER as u64]), Errno(libc::EPERM));
    assert_eq!(call(libc::SYS_clone3, &[]), Errno(libc::ENOSYS));
    assert_eq!(call(libc::SYS_unshare, &[libc::CLONE_FILES as u64]), Allowed);
    assert_eq!(call(libc::SYS_unshare, &[0x80]), Errno(libc::EPERM));
}

#[test]
fn sockets_of_ordinary_families_only() {
    let socket = |family: i32, protocol: u64| call(libc::SYS_socket, &[family as u64, 1, protocol]);
    assert_eq!(socket(libc::AF_UNIX, 0), Allowed);
    assert_eq!(socket(libc::AF_INET6, 0), Allowed);
    assert_eq!(socket(libc::AF_NETLINK, 0), Allowed);
    assert_eq!(socket(libc::AF_NETLINK, 9), Errno(libc::EPROTONOSUPPORT));
    for family in [libc::AF_VSOCK, libc::AF_ALG, libc::AF_PACKET, libc::AF_KEY, libc::AF_BLUETOOTH, 0, 44] {
        assert_eq!(socket(family, 0), Errno(libc::EAFNOSUPPORT), "family {family}");
    }
}

#[test]
fn ioctls_that_control_file_systems_are_refused_whatever_their_high_bits() {
    let ioctl = |number: u64| call(libc::SYS_ioctl, &[3, number]);
    let refused = [0x5412, 0x4008_6602, 0x401c_5820, 0xc018_5879, 0xc004_5877, 0xc028_660f, 0x5000_9403];
    for number in refused {
        assert_eq!(ioctl(number), Errno(libc::EPERM), "{number:#x}");
        assert_eq!(ioctl(number | 0xdead_0000_0000_0000), Errno(libc::EPERM), "{number:#x} with high bits");
    }
    for number in [0x5401, 0x5413, 0x541b, 0x4004_9409, 0x8008_6601, 0xc020_660b] {
        assert_eq!(ioctl(number), Allowed, "{number:#x}");
    }
}

#[test]
fn simple_verdicts_are_told_apart() {
    assert_ne!(Simple::Allow, Simple::Refuse(libc::EPERM));
    assert_eq!(call(libc::SYS_io_uring_setup, &[]), Errno(libc::ENOSYS));
    assert_eq!(call(libc::SYS_ptrace, &[]), Errno(libc::EPERM));
    assert_eq!(call(libc::SYS_personality, &[0xffff_ffff]), Allowed);
    assert_eq!(call(libc::SYS_personality, &[0x0040_0000]), Errno(libc::EPERM));
}
