// SPDX-License-Identifier: Apache-2.0
//! Frames: a 4-byte big-endian length, then that many bytes of one message.
//!
//! `FrameReader` collects bytes as they come and hands out whole frames. A length outside 1..=1 MiB ends the
//! conversation: nothing after it can be trusted. It holds at most one full frame and one read more.

use prost::Message;
use std::io::{self, Read};

/// Longest frame, without its length field.
pub const MAX_FRAME: usize = 1024 * 1024;
const HEADER: usize = 4;
const IDLE_CAPACITY: usize = 16 * 1024;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("frame of {0} bytes: a frame is 1 to {MAX_FRAME} bytes long")]
pub struct BadFrame(pub usize);

#[derive(Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl FrameReader {
    pub fn new() -> Self {
        Self::default()
    }

    /// One read from `source`; 0 is end-of-file. Call `next` until it is empty before reading again.
    pub fn fill(&mut self, source: &mut impl Read) -> io::Result<usize> {
        self.make_room();
        let got = source.read(&mut self.buffer[self.end..])?;
        self.end += got;
        Ok(got)
    }

    /// Whether a whole frame is here.
    pub fn has_frame(&self) -> Result<bool, BadFrame> {
        let held = &self.buffer[self.start..self.end];
        Ok(frame_length(held)?.is_some_and(|length| held.len() >= HEADER + length))
    }

    /// The next whole frame, if it is here.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, BadFrame> {
        let held = &self.buffer[self.start..self.end];
        let Some(length) = frame_length(held)? else {
            return Ok(None);
        };
        if held.len() < HEADER + length {
            return Ok(None);
        }
        let body = self.start + HEADER;
        self.start = body + length;
        Ok(Some(&self.buffer[body..body + length]))
    }

    /// Whether there is memory that only traffic needs.
    pub fn is_wide(&self) -> bool {
        self.start == self.end && self.buffer.len() > IDLE_CAPACITY
    }

    /// Gives that memory back. The bytes are zeroed first.
    pub fn shrink(&mut self) {
        if self.is_wide() {
            self.wipe_consumed();
            *self = Self::default();
        }
    }

    /// Zeroes the frames that were handed out, so that nothing of them lives on.
    pub fn wipe_consumed(&mut self) {
        crate::wire::launch::wipe_bytes(&mut self.buffer[..self.start]);
    }

    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let wanted = match frame_length(&self.buffer[..self.end]) {
            Ok(Some(length)) => HEADER + length,
            _ => HEADER,
        };
        let capacity = wanted.max(IDLE_CAPACITY);
        if self.buffer.len() < capacity {
            self.buffer.resize(capacity, 0);
        }
    }
}

fn frame_length(held: &[u8]) -> Result<Option<usize>, BadFrame> {
    let Some(header) = held.first_chunk::<HEADER>() else {
        return Ok(None);
    };
    let length = u32::from_be_bytes(*header) as usize;
    if length == 0 || length > MAX_FRAME {
        return Err(BadFrame(length));
    }
    Ok(Some(length))
}

/// Appends `message` as a frame.
pub fn append(out: &mut Vec<u8>, message: &impl Message) {
    let length = message.encoded_len();
    out.reserve(HEADER + length);
    out.extend_from_slice(&(length as u32).to_be_bytes());
    // Encoding into a Vec fails only without room, and a Vec grows.
    let _ = message.encode(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8], step: usize) -> Result<Vec<Vec<u8>>, BadFrame> {
        let mut reader = FrameReader::new();
        let mut found = Vec::new();
        for mut piece in bytes.chunks(step) {
            while !piece.is_empty() {
                reader.fill(&mut piece).unwrap();
                while let Some(frame) = reader.next_frame()? {
                    found.push(frame.to_vec());
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn frames_survive_any_cut() {
        let mut bytes = Vec::new();
        for length in [1_usize, 2, 300, 70_000] {
            bytes.extend_from_slice(&(length as u32).to_be_bytes());
            bytes.resize(bytes.len() + length, length as u8);
        }
        for step in [1, 3, 4, 5, 1000, 100_000] {
            let lengths: Vec<usize> = frames(&bytes, step).unwrap().iter().map(Vec::len).collect();
            assert_eq!(lengths, [1, 2, 300, 70_000], "cut every {step} bytes");
        }
    }

    #[test]
    fn an_empty_and_an_oversized_frame_are_refused() {
        assert_eq!(frames(&[0, 0, 0, 0], 4), Err(BadFrame(0)));
        let over = (MAX_FRAME + 1) as u32;
        assert_eq!(frames(&over.to_be_bytes(), 4), Err(BadFrame(MAX_FRAME + 1)));
    }

    #[test]
    fn the_largest_frame_is_read_and_its_memory_given_back() {
        let mut bytes = (MAX_FRAME as u32).to_be_bytes().to_vec();
        bytes.resize(4 + MAX_FRAME, 7);
        let mut reader = FrameReader::new();
        let mut source = bytes.as_slice();
        while !source.is_empty() {
            reader.fill(&mut source).unwrap();
        }
        assert_eq!(reader.next_frame().unwrap().map(<[u8]>::len), Some(MAX_FRAME));
        reader.shrink();
        assert_eq!(reader.buffer.capacity(), 0);
    }
}
