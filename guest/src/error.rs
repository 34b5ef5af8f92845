// SPDX-License-Identifier: Apache-2.0
//! One error type: which step failed, on what, and why.

use crate::sys;
use std::io;

#[derive(Debug, thiserror::Error)]
#[error("{step}: {object}: {source}")]
pub struct StepError {
    pub step: &'static str,
    pub object: String,
    pub source: io::Error,
}

impl StepError {
    pub fn new(step: &'static str, object: impl Into<String>, errno: i32) -> StepError {
        StepError { step, object: object.into(), source: io::Error::from_raw_os_error(errno) }
    }

    pub fn errno(&self) -> i32 {
        sys::errno(&self.source)
    }
}

pub trait Step<T> {
    /// Names the step and the object of a failed call.
    fn step(self, step: &'static str, object: impl Into<String>) -> Result<T, StepError>;
}

impl<T> Step<T> for io::Result<T> {
    fn step(self, step: &'static str, object: impl Into<String>) -> Result<T, StepError> {
        self.map_err(|source| StepError { step, object: object.into(), source })
    }
}
