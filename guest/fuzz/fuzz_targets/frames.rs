// SPDX-License-Identifier: Apache-2.0
//! `cargo +nightly fuzz run frames`: the first byte says how the rest is cut into reads.
#![no_main]

use dsec_guest::wire::frame::FrameReader;
use dsec_guest::wire::guest::ToGuest;
use libfuzzer_sys::fuzz_target;
use prost::Message;

fuzz_target!(|bytes: &[u8]| {
    let Some((&cut, bytes)) = bytes.split_first() else { return };
    let mut reader = FrameReader::new();
    for mut piece in bytes.chunks(usize::from(cut) + 1) {
        while !piece.is_empty() {
            reader.fill(&mut piece).expect("reading from memory");
            loop {
                match reader.next_frame() {
                    Ok(Some(frame)) => drop(ToGuest::decode(frame)),
                    Ok(None) => break,
                    Err(_) => return,
                }
            }
        }
        reader.shrink();
    }
});
