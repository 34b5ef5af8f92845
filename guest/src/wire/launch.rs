// SPDX-License-Identifier: Apache-2.0
//! The messages of `launch.proto`, by hand.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub struct LaunchRequest {
    #[prost(string, tag = "1")]
    pub sandbox: String,
    #[prost(string, tag = "2")]
    pub hostname: String,
    #[prost(uint32, tag = "3")]
    pub id_base: u32,
    #[prost(uint32, tag = "4")]
    pub id_count: u32,
    #[prost(string, tag = "5")]
    pub socket: String,
    #[prost(string, tag = "6")]
    pub v2_group: String,
    #[prost(string, tag = "7")]
    pub memory_group: String,
    #[prost(string, repeated, tag = "8")]
    pub join: Vec<String>,
    #[prost(string, repeated, tag = "9")]
    pub lowers: Vec<String>,
    #[prost(string, tag = "10")]
    pub upper: String,
    #[prost(string, tag = "11")]
    pub work: String,
    #[prost(message, repeated, tag = "12")]
    pub binds: Vec<Bind>,
    #[prost(string, tag = "13")]
    pub dev: String,
    #[prost(uint64, tag = "14")]
    pub shm_bytes: u64,
    #[prost(uint64, tag = "15")]
    pub nofile: u64,
    #[prost(bool, tag = "16")]
    pub forked: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Bind {
    #[prost(string, tag = "1")]
    pub source: String,
    #[prost(string, tag = "2")]
    pub target: String,
    #[prost(bool, tag = "3")]
    pub writable: bool,
    #[prost(bool, tag = "4")]
    pub id_mapped: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct LaunchReply {
    #[prost(bool, tag = "1")]
    pub ok: bool,
    #[prost(uint32, tag = "2")]
    pub pid: u32,
    #[prost(uint64, tag = "3")]
    pub start_ticks: u64,
    #[prost(string, tag = "4")]
    pub step: String,
    #[prost(uint32, tag = "5")]
    pub errno: u32,
    #[prost(string, tag = "6")]
    pub message: String,
    #[prost(message, repeated, tag = "7")]
    pub timings: Vec<Timing>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Timing {
    #[prost(string, tag = "1")]
    pub step: String,
    #[prost(uint64, tag = "2")]
    pub micros: u64,
}

impl LaunchRequest {
    /// Overwrites every text, so that a later fork does not carry what belongs to another sandbox.
    pub fn wipe(&mut self) {
        let texts = [
            &mut self.sandbox,
            &mut self.hostname,
            &mut self.socket,
            &mut self.v2_group,
            &mut self.memory_group,
            &mut self.upper,
            &mut self.work,
            &mut self.dev,
        ];
        texts.into_iter().for_each(wipe_text);
        self.join.iter_mut().for_each(wipe_text);
        self.lowers.iter_mut().for_each(wipe_text);
        for bind in &mut self.binds {
            wipe_text(&mut bind.source);
            wipe_text(&mut bind.target);
        }
    }
}

fn wipe_text(text: &mut String) {
    let mut bytes = std::mem::take(text).into_bytes();
    wipe_bytes(&mut bytes);
}

/// Zeroes in a way that the compiler must not drop.
pub fn wipe_bytes(bytes: &mut [u8]) {
    bytes.fill(0);
    std::hint::black_box(bytes);
}
