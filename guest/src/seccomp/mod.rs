// SPDX-License-Identifier: Apache-2.0
//! The system-call filter of every user process: an allow-list after the usual runtime default, with refusals for
//! what reaches beyond the sandbox, and ENOSYS for all that is not named (programs then fall back).

mod policy;
mod program;

use crate::sys::check;
use program::Instruction;
use std::io;

const SECCOMP_SET_MODE_FILTER: u64 = 1;

/// The compiled filter: built once by launch, installed by each exec before its program starts.
#[derive(Clone)]
pub struct Filter(Vec<Instruction>);

impl Filter {
    pub fn build() -> Filter {
        Filter(program::compile(&policy::rules()))
    }

    /// For this process and all it becomes. Needs no_new_privs.
    pub fn install(&self) -> io::Result<()> {
        #[repr(C)]
        struct Program {
            length: u16,
            instructions: *const Instruction,
        }
        let program = Program { length: self.0.len() as u16, instructions: self.0.as_ptr() };
        // SAFETY: `program` has the layout of struct sock_fprog and describes a live array.
        let ret = unsafe { libc::syscall(libc::SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
        check(ret).map(drop)
    }
}

#[cfg(test)]
mod tests;
