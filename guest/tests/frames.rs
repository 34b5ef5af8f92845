// SPDX-License-Identifier: Apache-2.0
//! The frame parser against arbitrary bytes, compared with a parser that is too simple to be wrong.

use dsec_guest::wire::frame::{BadFrame, FrameReader, MAX_FRAME};
use dsec_guest::wire::guest::{FromGuest, ToGuest};
use dsec_guest::wire::launch::LaunchRequest;
use prost::Message;

const ROUNDS: usize = 3_000;

/// xorshift: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }
}

fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(now);
    eprintln!("replay with FUZZ_SEED={seed}");
    seed | 1
}

/// Frames up to the first bad length, and that length if there is one.
fn reference(mut bytes: &[u8]) -> (Vec<Vec<u8>>, Option<BadFrame>) {
    let mut frames = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*head) as usize;
        if length == 0 || length > MAX_FRAME {
            return (frames, Some(BadFrame(length)));
        }
        if rest.len() < length {
            break;
        }
        frames.push(rest[..length].to_vec());
        bytes = &rest[length..];
    }
    (frames, None)
}

/// Frames of random bytes, now and then with a broken length or a flipped bit.
fn stream(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.below(6) {
        let length = match random.below(4) {
            0 => 1 + random.below(4),
            1 => 1 + random.below(40_000),
            _ => 1 + random.below(300),
        };
        bytes.extend_from_slice(&(length as u32).to_be_bytes());
        bytes.extend((0..length).map(|_| random.next() as u8));
    }
    if random.below(3) == 0 && !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
    bytes.truncate(bytes.len() - random.below(5).min(bytes.len()));
    bytes
}

#[test]
fn any_bytes_in_any_pieces_give_the_same_frames() {
    let seed = seed();
    let mut random = Random(seed);
    for round in 0..ROUNDS {
        let bytes = stream(&mut random);
        let (expected, bad) = reference(&bytes);
        let (mut reader, mut frames, mut failure) = (FrameReader::new(), Vec::new(), None);
        let mut rest = bytes.as_slice();
        'all: while !rest.is_empty() {
            let (mut piece, after) = rest.split_at(1 + random.below(rest.len()));
            rest = after;
            while !piece.is_empty() {
                reader.fill(&mut piece).unwrap();
                loop {
                    match reader.next_frame() {
                        Ok(Some(frame)) => frames.push(frame.to_vec()),
                        Ok(None) => break,
                        Err(error) => {
                            failure = Some(error);
                            break 'all;
                        }
                    }
                }
                if random.below(4) == 0 {
                    reader.shrink();
                }
            }
        }
        assert_eq!((frames, failure), (expected, bad), "round {round}, FUZZ_SEED={seed}");
    }
}

/// Decoding never panics, whatever the bytes.
#[test]
fn any_bytes_decode_or_are_refused() {
    let seed = seed();
    let mut random = Random(seed);
    for _ in 0..ROUNDS * 10 {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8 & 0x7f).collect();
        let _ = ToGuest::decode(bytes.as_slice());
        let _ = FromGuest::decode(bytes.as_slice());
        let _ = LaunchRequest::decode(bytes.as_slice());
    }
}
