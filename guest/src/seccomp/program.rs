// SPDX-License-Identifier: Apache-2.0
//! Compiles rules to classic BPF.
//!
//! The number is found by binary search over ranges of equal verdicts. This matters less for running (the kernel
//! caches plain verdicts) than for installing: the kernel then tries the filter for every call number, and a
//! linear list would make that half a millisecond per exec.

/// struct sock_filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Instruction {
    pub code: u16,
    pub jump_true: u8,
    pub jump_false: u8,
    pub value: u32,
}

pub const LOAD: u16 = 0x20; // LD | W | ABS
pub const JUMP_EQUAL: u16 = 0x15;
pub const JUMP_GREATER_EQUAL: u16 = 0x35;
pub const JUMP: u16 = 0x05;
pub const AND: u16 = 0x54;
pub const RETURN: u16 = 0x06;

const RET_ALLOW: u32 = 0x7fff_0000;
const RET_ERRNO: u32 = 0x0005_0000;
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCH: u32 = 4;
const OFFSET_ARGUMENTS: u32 = 16;
pub const ARCH_X86_64: u32 = 0xc000_003e;
/// Numbers from here on are the x32 interface.
const X32: u32 = 0x4000_0000;

/// What happens to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    Refuse(i32),
    /// Decided by the low 32 bits of arguments: the first test that matches, else `otherwise`.
    Ask {
        tests: Vec<Test>,
        otherwise: Simple,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simple {
    Allow,
    Refuse(i32),
}

/// Matches when `argument & mask` equals (or, with `equal` false, differs from) `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    pub argument: u32,
    pub mask: u32,
    pub value: u32,
    pub equal: bool,
    pub then: Simple,
}

const UNKNOWN: Verdict = Verdict::Refuse(libc::ENOSYS);

pub fn compile(rules: &[(u32, Verdict)]) -> Vec<Instruction> {
    let mut sorted = rules.to_vec();
    sorted.sort_by_key(|(number, _)| *number);
    let mut program = vec![
        load(OFFSET_ARCH),
        Instruction { code: JUMP_EQUAL, jump_true: 1, jump_false: 0, value: ARCH_X86_64 },
        give(Simple::Refuse(libc::ENOSYS)),
        load(OFFSET_NUMBER),
    ];
    program.extend(search(&ranges(&sorted)));
    program
}

/// (first number, verdict) of each run of equal verdicts, from 0 on.
fn ranges(sorted: &[(u32, Verdict)]) -> Vec<(u32, Verdict)> {
    let mut ranges = vec![(0, UNKNOWN)];
    let mut next = 0;
    for (number, verdict) in sorted {
        if *number > next {
            begin(&mut ranges, next, UNKNOWN);
        }
        begin(&mut ranges, *number, verdict.clone());
        next = number + 1;
    }
    begin(&mut ranges, next, UNKNOWN);
    begin(&mut ranges, X32, UNKNOWN);
    ranges
}

fn begin(ranges: &mut Vec<(u32, Verdict)>, first: u32, verdict: Verdict) {
    match ranges.last_mut() {
        Some(last) if last.1 == verdict => {}
        Some(last) if last.0 == first => last.1 = verdict,
        _ => ranges.push((first, verdict)),
    }
}

fn search(ranges: &[(u32, Verdict)]) -> Vec<Instruction> {
    let (low, high) = ranges.split_at(ranges.len() / 2);
    let ([(pivot, _), ..], false) = (high, low.is_empty()) else {
        return high.first().map_or_else(Vec::new, |(_, verdict)| leaf(verdict));
    };
    let below = search(low);
    // A conditional jump reaches 255 instructions, a plain one everything.
    let mut program = vec![
        Instruction { code: JUMP_GREATER_EQUAL, jump_true: 0, jump_false: 1, value: *pivot },
        Instruction { code: JUMP, jump_true: 0, jump_false: 0, value: below.len() as u32 },
    ];
    program.extend(below);
    program.extend(search(high));
    program
}

fn leaf(verdict: &Verdict) -> Vec<Instruction> {
    match verdict {
        Verdict::Allow => vec![give(Simple::Allow)],
        Verdict::Refuse(errno) => vec![give(Simple::Refuse(*errno))],
        Verdict::Ask { tests, otherwise } => {
            let mut program = Vec::new();
            for test in tests {
                program.push(load(OFFSET_ARGUMENTS + 8 * test.argument));
                if test.mask != u32::MAX {
                    program.push(Instruction { code: AND, jump_true: 0, jump_false: 0, value: test.mask });
                }
                program.push(Instruction {
                    code: JUMP_EQUAL,
                    jump_true: u8::from(!test.equal),
                    jump_false: u8::from(test.equal),
                    value: test.value,
                });
                program.push(give(test.then));
            }
            program.push(give(*otherwise));
            program
        }
    }
}

fn load(offset: u32) -> Instruction {
    Instruction { code: LOAD, jump_true: 0, jump_false: 0, value: offset }
}

fn give(verdict: Simple) -> Instruction {
    let value = match verdict {
        Simple::Allow => RET_ALLOW,
        Simple::Refuse(errno) => RET_ERRNO | errno as u32,
    };
    Instruction { code: RETURN, jump_true: 0, jump_false: 0, value }
}
