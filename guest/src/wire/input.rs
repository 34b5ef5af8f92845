// SPDX-License-Identifier: Apache-2.0
//! Stdin orders, read in place: their data goes from the frame into the pipe without a copy.

use super::guest::Stdin;
use prost::encoding::{WireType, decode_key, decode_varint};

const TO_GUEST_STDIN: u32 = 3;
const EXEC: u32 = 1;
const OFFSET: u32 = 2;
const DATA: u32 = 3;
const CLOSE: u32 = 4;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Input<'a> {
    pub exec: u64,
    pub offset: u64,
    pub data: &'a [u8],
    pub close: bool,
}

/// What the frame brings for a stdin; None for other orders, and for what only the library reads.
pub fn input(mut frame: &[u8]) -> Option<Input<'_>> {
    let (TO_GUEST_STDIN, WireType::LengthDelimited) = decode_key(&mut frame).ok()? else { return None };
    let mut fields = delimited(&mut frame)?;
    if !frame.is_empty() {
        return None;
    }
    let mut input = Input::default();
    while !fields.is_empty() {
        match decode_key(&mut fields).ok()? {
            (EXEC, WireType::Varint) => input.exec = decode_varint(&mut fields).ok()?,
            (OFFSET, WireType::Varint) => input.offset = decode_varint(&mut fields).ok()?,
            (DATA, WireType::LengthDelimited) => input.data = delimited(&mut fields)?,
            (CLOSE, WireType::Varint) => input.close = decode_varint(&mut fields).ok()? != 0,
            _ => return None,
        }
    }
    Some(input)
}

impl<'a> From<&'a Stdin> for Input<'a> {
    fn from(order: &'a Stdin) -> Input<'a> {
        Input { exec: order.exec, offset: order.offset, data: &order.data, close: order.close }
    }
}

fn delimited<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(decode_varint(from).ok()?).ok()?;
    let (taken, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::guest::{Order, Ping, ToGuest};
    use prost::Message;

    #[test]
    fn it_reads_what_the_library_reads() {
        for (exec, offset, length, close) in [
            (0, 0, 0, false),
            (1, 0, 3, true),
            (7, u64::MAX, 70_000, false),
            (1 << 40, 1 << 33, 262_144, true),
        ] {
            let order = Stdin { exec, offset, data: vec![42; length], close };
            let frame = ToGuest { body: Some(Order::Stdin(order.clone())) }.encode_to_vec();
            assert_eq!(input(&frame), Some(Input::from(&order)));
            for cut in 0..frame.len().min(40) {
                assert_eq!(input(&frame[..cut]), None, "cut after {cut}");
            }
        }
    }

    #[test]
    fn other_orders_are_left_to_the_library() {
        let ping = ToGuest { body: Some(Order::Ping(Ping { token: 5 })) }.encode_to_vec();
        assert_eq!(input(&ping), None);
        let stdin = ToGuest { body: Some(Order::Stdin(Stdin::default())) }.encode_to_vec();
        assert_eq!(input(&[stdin, ping].concat()), None, "the last of several bodies counts");
    }
}
