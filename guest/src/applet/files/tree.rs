// SPDX-License-Identifier: Apache-2.0
//! Names: listing, making, moving, removing; modes and owners.

use super::entry::{self, path};
use super::{Named, failed};
use crate::init::identity;
use crate::sys::{dir, is_errno};
use crate::wire::files::{
    ChangeMode, ChangeOwner, Done, Entry, Failed, List, Listing, MakeDirectory, Move, Problem, Remove,
};
use prost::Message;
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown, lchown};

const MOST_ENTRIES: u32 = 10_000;
/// Of one listing, so that it fits a frame.
const MOST_BYTES: usize = 512 * 1024;
const PARENT_MODE: u32 = 0o755;

/// Only the names of one page are held, whatever the directory holds.
pub fn list(ask: &List) -> Result<Listing, Failed> {
    let limit = ask.limit.clamp(1, MOST_ENTRIES) as usize;
    let mut names = BTreeSet::new();
    for found in fs::read_dir(path(&ask.path)).named("list", &ask.path)? {
        let name = found.named("list", &ask.path)?.file_name().into_vec();
        if name > ask.after {
            names.insert(name);
            if names.len() > limit + 1 {
                names.pop_last();
            }
        }
    }
    let mut listing = Listing { more: names.len() > limit, ..Listing::default() };
    let mut bytes = 0;
    for name in names.into_iter().take(limit) {
        let Ok(entry) = entry::at(&join(&ask.path, &name), false) else { continue }; // just removed
        bytes += entry.encoded_len() + 8;
        if bytes > MOST_BYTES {
            listing.more = true;
            break;
        }
        listing.entries.push(entry);
    }
    Ok(listing)
}

pub fn join(place: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if place.ends_with(b"/") { b"" } else { b"/" };
    [place, slash, name].concat()
}

pub fn make_directory(ask: &MakeDirectory) -> Result<Entry, Failed> {
    let mut builder = fs::DirBuilder::new();
    if ask.parents {
        let above = path(&ask.path).parent();
        if let Some(above) = above {
            builder.recursive(true).mode(PARENT_MODE);
            builder.create(above).named("make the directory of", &ask.path)?;
        }
    }
    match fs::DirBuilder::new().mode(ask.mode & 0o7777).create(path(&ask.path)) {
        Err(error) if ask.parents && is_errno(&error, libc::EEXIST) && path(&ask.path).is_dir() => {
            return entry::at(&ask.path, true);
        }
        result => result.named("make", &ask.path)?,
    }
    if ask.mode > 0o777 {
        fs::set_permissions(path(&ask.path), Permissions::from_mode(ask.mode & 0o7777))
            .named("set the mode of", &ask.path)?;
    }
    entry::at(&ask.path, true)
}

pub fn relocate(ask: &Move) -> Result<Entry, Failed> {
    let moved = if ask.keep {
        dir::rename_new(&ask.from, &ask.to)
    } else {
        fs::rename(path(&ask.from), path(&ask.to))
    };
    let both = [&ask.from[..], b" to ", &ask.to].concat();
    moved.named("move", &both)?;
    entry::at(&ask.to, false)
}

pub fn remove(ask: &Remove) -> Result<Done, Failed> {
    let place = path(&ask.path);
    let found = fs::symlink_metadata(place).named("remove", &ask.path)?;
    match (found.is_dir(), ask.recursive) {
        (true, true) => fs::remove_dir_all(place),
        (true, false) => fs::remove_dir(place),
        (false, _) => fs::remove_file(place),
    }
    .named("remove", &ask.path)?;
    Ok(Done { count: 1 })
}

pub fn change_mode(ask: &ChangeMode) -> Result<Done, Failed> {
    let change = |file: &[u8]| fs::set_permissions(path(file), Permissions::from_mode(ask.mode & 0o7777));
    if !ask.recursive {
        change(&ask.path).named("change the mode of", &ask.path)?;
        return Ok(Done { count: 1 });
    }
    walk(&ask.path, "change the mode of", |file, link| if link { Ok(()) } else { change(file) })
}

pub fn change_owner(ask: &ChangeOwner) -> Result<Done, Failed> {
    let (uid, gid) =
        identity::owner(&ask.owner).map_err(|message| failed(Problem::BadRequest, libc::EINVAL, message))?;
    if !ask.recursive {
        chown(path(&ask.path), uid, gid).named("change the owner of", &ask.path)?;
        return Ok(Done { count: 1 });
    }
    walk(&ask.path, "change the owner of", |file, _| lchown(path(file), uid, gid))
}

/// Calls `each` with everything below, what is deeper first; links are not followed.
fn walk(top: &[u8], what: &str, each: impl Fn(&[u8], bool) -> io::Result<()>) -> Result<Done, Failed> {
    let mut count = 0;
    let mut left = vec![(top.to_vec(), false)];
    while let Some((file, entered)) = left.pop() {
        let found = fs::symlink_metadata(path(&file)).named(what, &file)?;
        if found.is_dir() && !entered {
            left.push((file.clone(), true));
            for below in fs::read_dir(path(&file)).named("list", &file)? {
                let below = below.named("list", &file)?;
                left.push((join(&file, below.file_name().as_bytes()), false));
            }
            continue;
        }
        each(&file, found.is_symlink()).named(what, &file)?;
        count += 1;
    }
    Ok(Done { count })
}
