// SPDX-License-Identifier: Apache-2.0
//! The head of an Output frame, so that its data goes from buffer to socket without a copy.

use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};

const FROM_GUEST_OUTPUT: u32 = 3;
const EXEC: u32 = 1;
const STREAM: u32 = 2;
const OFFSET: u32 = 3;
const DATA: u32 = 4;

/// Everything of the frame that comes before its `length` bytes of data, which must not be 0.
pub fn head(exec: u64, stream: i32, offset: u64, length: usize) -> Vec<u8> {
    let stream = stream as u64;
    let body = varint_len(EXEC, exec)
        + varint_len(STREAM, stream)
        + varint_len(OFFSET, offset)
        + key_len(DATA)
        + encoded_len_varint(length as u64)
        + length;
    let frame = key_len(FROM_GUEST_OUTPUT) + encoded_len_varint(body as u64) + body;
    let mut head = Vec::with_capacity(48);
    head.extend_from_slice(&(frame as u32).to_be_bytes());
    encode_key(FROM_GUEST_OUTPUT, WireType::LengthDelimited, &mut head);
    encode_varint(body as u64, &mut head);
    put_varint(EXEC, exec, &mut head);
    put_varint(STREAM, stream, &mut head);
    put_varint(OFFSET, offset, &mut head);
    encode_key(DATA, WireType::LengthDelimited, &mut head);
    encode_varint(length as u64, &mut head);
    head
}

fn varint_len(tag: u32, value: u64) -> usize {
    if value == 0 { 0 } else { key_len(tag) + encoded_len_varint(value) }
}

fn put_varint(tag: u32, value: u64, out: &mut Vec<u8>) {
    if value != 0 {
        encode_key(tag, WireType::Varint, out);
        encode_varint(value, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame;
    use crate::wire::guest::{FromGuest, News, Output};

    #[test]
    fn head_and_data_are_what_the_library_would_write() {
        for (exec, stream, offset, length) in
            [(0, 0, 0, 1), (1, 0, 300, 5), (7, 1, u64::MAX, 70_000), (1 << 40, 1, 1 << 33, 262_144)]
        {
            let data = vec![42_u8; length];
            let mut expected = Vec::new();
            let output = Output { exec, stream, offset, data: data.clone() };
            frame::append(&mut expected, &FromGuest::from(News::Output(output)));
            let mut written = head(exec, stream, offset, length);
            written.extend_from_slice(&data);
            assert_eq!(written, expected);
        }
    }
}
