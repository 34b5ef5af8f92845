// SPDX-License-Identifier: Apache-2.0
//! What travels: frames, and the messages inside them.

pub mod files;
pub mod frame;
pub mod guest;
pub mod input;
pub mod launch;
pub mod output;
