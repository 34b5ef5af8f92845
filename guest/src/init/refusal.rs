// SPDX-License-Identifier: Apache-2.0
//! Why an exec did not start, and how the child tells: one record on a pipe that closes when execve succeeds.

use crate::sys::dir;
use crate::wire::guest::Failure;
use std::os::fd::AsFd;

/// The record fits a pipe's atomic write.
pub const MAX_RECORD: usize = 1024;
const HEADER: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub failure: Failure,
    pub errno: i32,
    pub message: String,
}

impl Refusal {
    pub fn new(failure: Failure, errno: i32, message: impl Into<String>) -> Refusal {
        Refusal { failure, errno, message: message.into() }
    }

    /// failure (1 byte), errno (4 bytes, big-endian), message.
    pub fn write(&self, status: impl AsFd) {
        let mut record = vec![self.failure as u8];
        record.extend_from_slice(&self.errno.to_be_bytes());
        record.extend_from_slice(self.message.as_bytes());
        record.truncate(MAX_RECORD);
        let _ = dir::write_once(status, &record);
    }

    /// None: no record, so the program runs.
    pub fn read(record: &[u8]) -> Option<Refusal> {
        let (header, message) = record.split_first_chunk::<HEADER>()?;
        let [failure, errno @ ..] = *header;
        Some(Refusal {
            failure: Failure::try_from(i32::from(failure)).unwrap_or(Failure::NoResources),
            errno: i32::from_be_bytes(errno),
            message: String::from_utf8_lossy(message).into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::pipe;

    #[test]
    fn a_refusal_survives_the_pipe() {
        let ends = pipe::pipe().unwrap();
        let refusal = Refusal::new(Failure::BadCwd, libc::ENOENT, "no /nope here");
        refusal.write(&ends.writer);
        let mut record = [0; MAX_RECORD];
        let length = pipe::read(&ends.reader, &mut record).unwrap();
        assert_eq!(Refusal::read(&record[..length]), Some(refusal));
        assert_eq!(Refusal::read(&[]), None);
    }
}
