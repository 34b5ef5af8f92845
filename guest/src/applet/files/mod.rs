// SPDX-License-Identifier: Apache-2.0
//! Files of the sandbox: answers the requests of `files.proto`, as the user, seeing what any process inside sees.
//!
//! For small things one such applet serves many requests; a transfer or a watch has one of its own. Nothing here
//! guards against the user's own races: whatever a path leads to is what the user could reach anyway.

mod content;
mod entry;
mod fresh;
mod pack;
mod tree;
mod unpack;
mod watch;

use super::wire::Wire;
use crate::sys::{creds, errno};
use crate::wire::files::{Answer, Ask, Failed, Problem};
use std::io;

/// Until the node has nothing more to ask.
pub fn serve() -> io::Result<()> {
    creds::set_umask(0);
    let mut wire = Wire::new();
    while let Some(ask) = wire.next()? {
        let transfer = matches!(&ask, Ask::Write(write) if !write.complete) || matches!(ask, Ask::Unpack(_));
        match answer(&mut wire, ask) {
            Ok(()) => {}
            Err(Trouble::Wire(error)) => return Err(error),
            Err(Trouble::Failed(failed)) => {
                wire.say(Answer::Failed(failed))?;
                if transfer {
                    return Ok(()); // what may still come of it is nothing that we could tell from requests
                }
            }
        }
    }
    Ok(())
}

fn answer(wire: &mut Wire, ask: Ask) -> Result<(), Trouble> {
    let answer = match ask {
        Ask::Stat(stat) => Answer::Entry(entry::stat(&stat)?),
        Ask::Read(read) => return content::read(wire, &read),
        Ask::Write(write) => return content::write(wire, &write),
        Ask::List(list) => Answer::Listing(tree::list(&list)?),
        Ask::MakeDirectory(make) => Answer::Entry(tree::make_directory(&make)?),
        Ask::Move(from_to) => Answer::Entry(tree::relocate(&from_to)?),
        Ask::Remove(remove) => Answer::Done(tree::remove(&remove)?),
        Ask::ChangeMode(change) => Answer::Done(tree::change_mode(&change)?),
        Ask::ChangeOwner(change) => Answer::Done(tree::change_owner(&change)?),
        Ask::Watch(watch) => return watch::run(wire, &watch),
        Ask::Pack(place) => return pack::run(wire, &place.path),
        Ask::Unpack(place) => Answer::Done(unpack::run(wire, &place.path)?),
    };
    Ok(wire.say(answer)?)
}

/// What keeps a request from being done.
pub enum Trouble {
    Failed(Failed),
    /// The node cannot be heard or told: the applet ends.
    Wire(io::Error),
}

impl From<Failed> for Trouble {
    fn from(failed: Failed) -> Trouble {
        Trouble::Failed(failed)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Wire(error)
    }
}

pub fn failed(problem: Problem, number: i32, message: String) -> Failed {
    Failed { problem: problem as i32, errno: number as u32, message }
}

/// Says of an error what was tried on what.
pub trait Named<T> {
    fn named(self, what: &str, path: &[u8]) -> Result<T, Failed>;
}

impl<T> Named<T> for io::Result<T> {
    fn named(self, what: &str, path: &[u8]) -> Result<T, Failed> {
        self.map_err(|error| {
            let shown = String::from_utf8_lossy(path);
            let text = error.to_string();
            let reason = text.split(" (os error").next().unwrap_or_default();
            failed(Problem::System, errno(&error), format!("cannot {what} {shown}: {reason}"))
        })
    }
}
