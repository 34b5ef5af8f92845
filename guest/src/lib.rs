// SPDX-License-Identifier: Apache-2.0
//! `dsec-guest`: one static program with two roles.
//!
//! * `launch` runs on the host as root. A request on its socket becomes a sandbox: namespaces, mounts, masks.
//! * `init` is PID 1 inside. It is *forked* from launch and never exec'd: after an exec inside the user
//!   namespace, its root could open `/proc/1/mem`; after a plain fork it cannot.
//!
//! Both are single-threaded, and everything here relies on that.

pub mod applet;
pub mod error;
pub mod init;
pub mod launch;
pub mod seccomp;
pub mod sys;
pub mod wire;
