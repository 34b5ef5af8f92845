// SPDX-License-Identifier: Apache-2.0
//! A buffer straight from the kernel: its pages cost memory only once written, and dropping it gives them back.

use super::check;
use std::io;
use std::ops::{Deref, DerefMut};

pub struct Region {
    start: *mut u8,
    length: usize,
}

impl Region {
    pub fn map(length: usize) -> io::Result<Region> {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new anonymous mapping touches nothing that exists.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            check(-1)?;
        }
        Ok(Region { start: start.cast(), length })
    }
}

impl Deref for Region {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping is ours, readable, zero-filled and `length` bytes long while `self` lives.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl DerefMut for Region {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`, and `&mut self` makes this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `map` made; no reference outlives `self`.
        unsafe { libc::munmap(self.start.cast(), self.length) };
    }
}
